import ts from 'typescript';

/** Held weakly: the process goes on with other tests, which want the memory. */
const parsed = new Map<string, WeakRef<ts.SourceFile>>();

/** Each text once, for several measures are taken of the same files. */
export const parse = (file: string, text: string): ts.SourceFile => {
  const known = parsed.get(file)?.deref();
  if (known?.text === text) return known;
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  parsed.set(file, new WeakRef(source));
  return source;
};
