/** A rule of a module broke its promise. Nothing of it is saved; the next deploy goes on where the home stands. */
export class ModuleFault extends Error {
  readonly module: string;
  readonly thing: string | undefined;
  readonly rule: string;

  constructor(
    at: { readonly module: string; readonly thing?: string | undefined; readonly rule: string },
    cause: unknown,
  ) {
    const place = at.thing === undefined ? at.module : `${at.module} ${at.thing}`;
    super(`${at.rule} of ${place} failed: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.name = 'ModuleFault';
    this.module = at.module;
    this.thing = at.thing;
    this.rule = at.rule;
  }
}

/** What the rule returns; whatever it throws is told as its fault. */
export const ruled = <Value>(
  at: { readonly module: string; readonly thing?: string | undefined; readonly rule: string },
  rule: () => Value,
): Value => {
  try {
    return rule();
  } catch (error) {
    throw error instanceof ModuleFault ? error : new ModuleFault(at, error);
  }
};

/**
 * A home has things that this process can't read: their module isn't here, or wrote them in a newer version. Processes
 * that have it go on with the home.
 */
export class ModuleMissing extends Error {
  readonly code = 'module/missing';
  readonly module: string;

  constructor(module: string, why = 'is not here') {
    super(`the module ${module} ${why}: deploy it, or list it under retired if it was taken out for good`);
    this.name = 'ModuleMissing';
    this.module = module;
  }
}
