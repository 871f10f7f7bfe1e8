/**
 * Whether a client connects with a seat that another process reserved for it; `path` is the one of its WebSocket:
 * `/processId/roomId?sessionId=...`. One that reconnects is not meant: its process may have been started anew since.
 */
export const isSeatOfAnother = (path: string, processId: string): boolean => {
  const [place = '', query = ''] = path.split('?', 2);
  const [asked, roomId] = place.split('/').slice(-2);
  return Boolean(asked && roomId) && asked !== processId && !new URLSearchParams(query).has('reconnectionToken');
};
