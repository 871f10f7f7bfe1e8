import type { z } from 'zod';

/** `path: what is wrong` for a fault in a rules file. Of what may be this or that the fault of the likelier one is told. */
export const faultLine = (issue: z.core.$ZodIssue): string => {
  const { path, fault } = innermost(issue);
  return `${path.join('.') || 'rules'}: ${fault.message}`;
};

const innermost = (issue: z.core.$ZodIssue): { path: readonly PropertyKey[]; fault: z.core.$ZodIssue } => {
  if (issue.code === 'invalid_key') return { path: issue.path, fault: issue.issues[0] ?? issue };
  if (issue.code !== 'invalid_union') return { path: issue.path, fault: issue };
  const [first] = issue.errors.findLast(isOfThatType) ?? issue.errors[0] ?? [];
  if (!first) return { path: issue.path, fault: issue };
  const { path, fault } = innermost(first);
  return { path: [...issue.path, ...path], fault };
};

const isOfThatType = (issues: readonly z.core.$ZodIssue[]): boolean =>
  !issues.some(({ code, path }) => code === 'invalid_type' && path.length === 0);
