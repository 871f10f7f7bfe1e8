import { type Machine, machineText } from '../harness/machine.ts';

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
export const provenanceOf = ({ atDay, commit, command, machine, loadAtEnd }: Recorded): string =>
  `\`${command}\` on ${atDay} at commit ${commit}: ${machineText(machine, loadAtEnd)}.`;
