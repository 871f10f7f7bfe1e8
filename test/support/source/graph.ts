import path from 'node:path';

/** The arrows from each node. */
export type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** Each group that can reach itself, sorted. A node that points at itself alone is none. */
export const cyclesIn = (graph: Graph): readonly (readonly string[])[] => {
  const reached = new Map([...graph.keys()].map((node) => [node, reachedFrom(graph, node)]));
  const groups = new Map<string, readonly string[]>();
  for (const [node, others] of reached) {
    if (!others.has(node)) continue;
    const group = [...others].filter((other) => reached.get(other)?.has(node)).toSorted();
    groups.set(group.join(' '), group);
  }
  return [...groups.values()];
};

const reachedFrom = (graph: Graph, start: string): ReadonlySet<string> => {
  const reached = new Set<string>();
  const open = [...(graph.get(start) ?? [])];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (reached.has(node)) continue;
    reached.add(node);
    open.push(...(graph.get(node) ?? []));
  }
  return reached;
};

/** How many nodes lie on the longest way down from each, itself included. Only for graphs without cycles. */
export const floorsOf = (graph: Graph): ReadonlyMap<string, number> => {
  const floors = new Map<string, number>();
  const floorOf = (node: string): number => {
    const known = floors.get(node);
    if (known !== undefined) return known;
    const floor = 1 + Math.max(0, ...[...(graph.get(node) ?? [])].map(floorOf));
    floors.set(node, floor);
    return floor;
  };
  for (const node of graph.keys()) floorOf(node);
  return floors;
};

export const LONGEST_WALK = 30;

export interface Walk {
  /** Each once, in order. */
  readonly files: readonly string[];
  /** Steps that go back up to a room that was left. */
  readonly climbs: number;
}

/** What the numbered steps under a heading of ARCHITECTURE.md name. A short name lies in the folder that was named last. */
export const walkIn = (page: string, heading: string): Walk => {
  const [section = ''] = page.slice(page.indexOf(`## ${heading}`) + 1).split('\n## ');
  const steps = section
    .split('\n\n')
    .filter((paragraph) => paragraph.startsWith('1. '))
    .join('\n');
  const files = new Set<string>();
  let folder = '';
  for (const [, file = ''] of steps.matchAll(/`([\w./-]+\.(?:ts|lua))`/g)) {
    if (file.includes('/')) folder = path.posix.dirname(file);
    files.add(file.includes('/') ? file : `${folder}/${file}`);
  }
  return { files: [...files], climbs: [...steps.matchAll(/^\d+\. Up\b/gm)].length };
};
