import { isDeepStrictEqual } from 'node:util';
import type { Arrival, Complain, ConnectionRecord, PlayerEvidence, ShownState } from '../evidence/evidence.ts';
import { isSame, type RetoldHome } from './retold-home.ts';

/**
 * What a player's clients saw: every event of the log once, in order, as it is in the log, and not before its time; a
 * state that is never older than the events; and at the end all that the rows hold.
 */
export const judgeSight = ({ log, connections, rows }: PlayerEvidence, home: RetoldHome, complain: Complain): void => {
  let seen = 0;
  for (const [at, connection] of connections.entries()) {
    const about = (what: string): void => complain(`connection ${at} (${connection.gateway}): ${what}`);
    if (connection.afterSeq !== seen) about(`began after ${connection.afterSeq}, ${seen} was seen before`);
    for (const code of connection.refusals) about(`was refused with ${code}, and had asked nothing`);
    seen = judgeConnection(connection, log.length, about);
  }
  for (const { arrivals } of connections) for (const arrival of arrivals) judgeArrival(arrival, log, complain);
  const last = connections.at(-1);
  if (last?.isClosed) complain('the client is not there at the end');
  else if (last && seen < log.length) complain(`the client saw ${seen} events of ${log.length}, and heard no more`);
  else if (last && !last.shown) complain('the client is shown no state at the end');
  else if (last?.shown) judgeShown(last.shown, { seq: rows.home?.seq, items: rows.items, pets: home.pets }, complain);
};

type Expected = Pick<RetoldHome, 'pets'> & Pick<PlayerEvidence['rows'], 'items'> & { readonly seq: number | undefined };

const judgeShown = (shown: ShownState, { seq, items, pets }: Expected, complain: Complain): void => {
  const about = (what: string): void => complain(`the state at the end ${what}`);
  if (shown.seq !== seq) about(`is of seq ${shown.seq}, the home's row of ${seq}`);
  if (!isSame(shown.items, items)) about(`has ${JSON.stringify(shown.items)}, the stock is ${JSON.stringify(items)}`);
  const told = [...pets.values()].map(({ petId: id, xp, bowl, armed: autoFeeds }) => ({
    ...{ id, xp, dueAt: bowl?.dueAtMs ?? 0, autoFeeds },
  }));
  const sorted = (all: ShownState['pets']) => all.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  if (!isDeepStrictEqual(sorted(shown.pets), sorted(told)))
    about(`has the pets ${JSON.stringify(shown.pets)}, the log ${JSON.stringify(told)}`);
};

/** Answers the last `seq` that was seen. */
const judgeConnection = (connection: ConnectionRecord, length: number, complain: Complain): number => {
  let seen = connection.afterSeq;
  for (const { via, isRepeated, events, stateSeq } of connection.arrivals) {
    const [first = 0, last = 0] = [events[0]?.seq, events.at(-1)?.seq];
    if (stateSeq !== undefined && stateSeq < last)
      complain(`a ${via} of seq ${last} came before its state: ${stateSeq}`);
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
