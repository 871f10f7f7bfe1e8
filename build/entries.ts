/** Subpath -> the file a game imports. A game's Node does not strip types below node_modules: it gets JS and d.ts. */
export const entries: Readonly<Record<string, string>> = {
  '.': 'server/kibble',
  './room': 'server/room/create-home-room',
  './timers': 'server/timers',
  './ops': 'server/operators',
  './module': 'shared/module/module',
  './work': 'shared/calendar/work-entry',
  './client': 'client/follow/follow-home',
  './testing': 'testing/testing',
  './testing/laws': 'testing/laws',
};
