import { isDeepStrictEqual } from 'node:util';
import type { Arrival, Complain, ConnectionRecord, PlayerEvidence } from '../evidence/evidence.ts';

/** What a player's clients saw: every event of the log once, in order, as it is in the log, and not before its time. */
export const judgeSight = ({ log, connections }: PlayerEvidence, complain: Complain): void => {
  let seen = 0;
  for (const [at, connection] of connections.entries()) {
    const about = (what: string): void => complain(`connection ${at} (${connection.gateway}): ${what}`);
    if (connection.afterSeq !== seen) about(`began after ${connection.afterSeq}, ${seen} was seen before`);
    for (const code of connection.refusals) about(`was refused with ${code}, and had asked nothing`);
    seen = judgeConnection(connection, log.length, about);
  }
  for (const { arrivals } of connections) for (const arrival of arrivals) judgeArrival(arrival, log, complain);
  const isThere = connections.at(-1)?.isClosed === false;
  if (isThere && seen < log.length) complain(`the client saw ${seen} events of ${log.length}, and heard no more`);
};

/** Answers the last `seq` that was seen. */
const judgeConnection = (connection: ConnectionRecord, length: number, complain: Complain): number => {
  let seen = connection.afterSeq;
  for (const { via, isRepeated, events } of connection.arrivals) {
    const [first = 0, last = 0] = [events[0]?.seq, events.at(-1)?.seq];
    if (via === 'reply' && isRepeated && last <= seen) continue;
    for (const [at, { seq }] of events.entries()) {
      if (seq !== first + at) complain(`a ${via} has seq ${seq} where ${first + at} belongs`);
    }
    if (first !== seen + 1)
      complain(`a ${isRepeated ? 'repeated ' : ''}${via} ${first}..${last} begins with ${first} after ${seen}`);
    if (last > length) complain(`saw seq ${last}, the log ends at ${length}`);
    seen = Math.max(seen, last);
  }
  return seen;
};

const judgeArrival = ({ atMs, events }: Arrival, log: PlayerEvidence['log'], complain: Complain): void => {
  for (const event of events) {
    const logged = log[event.seq - 1]?.event;
    if (!isDeepStrictEqual(event, logged)) {
      complain(`saw ${JSON.stringify(event)}, the log has ${JSON.stringify(logged)}`);
    }
    if (atMs < event.at) complain(`saw seq ${event.seq} ${event.at - atMs} ms before its time`);
  }
};
