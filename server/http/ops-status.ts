const statuses: Readonly<Record<string, number>> = {
  'auth/refused': 401,
  'auth/role': 403,
  'rate/limited': 429,
  'command/invalid': 400,
  'ops/too-large': 413,
  'ops/unknown-route': 404,
  'ops/not-here': 404,
  'player/unknown': 404,
  'module/unknown': 404,
  'thing/unknown': 404,
  'thing/not-in-log': 404,
  'timer/unknown': 404,
  'kind/unknown': 404,
  'job/unknown': 404,
  'server/unavailable': 503,
  'server/failed': 500,
};

/** Any other code is a refusal by a rule, which may have any name: 409. */
export const statusOf = (code: string): number => (Object.hasOwn(statuses, code) && statuses[code]) || 409;
