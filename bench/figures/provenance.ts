import type { Machine } from '../harness/machine.ts';

interface Recorded {
  readonly atDay: string;
  readonly commit: string;
  readonly command: string;
  readonly machine: Machine;
  readonly loadAtEnd?: number;
}

/** In short, below a picture. */
export const machineOf = ({ atDay, command, machine }: Recorded): string =>
  `${command}, ${atDay}, ${machine.cores} shared cores, Node ${machine.node}`;

/** All of it, below a table. */
export const provenanceOf = (recorded: Recorded): string => {
  const { atDay, commit, command, machine, loadAtEnd } = recorded;
  const { cores, memoryGib, os, node, postgres, redis, load } = machine;
  const busy =
    load === undefined
      ? ''
      : `, load ${load} when it began${loadAtEnd === undefined ? '' : ` and ${loadAtEnd} when it ended`}`;
  return `\`${command}\` on ${atDay} at commit ${commit}: ${cores} cores, ${memoryGib} GiB, ${os}, Node ${node}, Postgres ${postgres}, Redis ${redis}${busy}.`;
};
