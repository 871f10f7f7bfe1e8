const SETTINGS = {
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  plan_cache_mode: 'force_generic_plan',
};

/**
 * For statements that look up a few hundred rows at most by their keys: from here to the end of the transaction they
 * are planned once a connection, also on tables that are still empty.
 */
export const PLANNED_ONCE = Object.entries(SETTINGS)
  .map(([name, value]) => `set local ${name} = ${value}`)
  .join('; ');

/** Whatever else runs in the transaction, such as a handler's statements, is planned as the database sees fit. */
export const PLANNED_AS_USUAL = Object.keys(SETTINGS)
  .map((name) => `set local ${name} to default`)
  .join('; ');
