import { driftOf, type Series } from './flat.ts';

const WIDTH = 820;
const [LEFT, RIGHT, HEAD, PANEL, GAP] = [80, 20, 40, 110, 46];

/** One panel for each figure over time, with the line that it is judged by, as the text of an SVG file. */
export const linePlot = (title: string, all: readonly Series[]): string => {
  const height = HEAD + all.length * (PANEL + GAP);
  const panels = all.map(
    (series, at) => `<g transform="translate(${LEFT} ${HEAD + at * (PANEL + GAP) + 20})">${panel(series)}</g>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">
<title>${title}</title>
<style>svg { --paper: #ffffff; --ink: #1f2328; --soft: #59636e; --line: #d9dfe5; --ours: #0a7d4b; }
@media (prefers-color-scheme: dark) { svg { --paper: #0d1117; --ink: #e6edf3; --soft: #9aa5b1; --line: #2b323b; --ours: #4cc38a; } }
text { font: 12px system-ui, sans-serif; fill: var(--soft); }</style>
<rect width="${WIDTH}" height="${height}" rx="6" style="fill:var(--paper)"/>
<text x="16" y="24" style="font-size:16px;font-weight:650;fill:var(--ink)">${title}</text>
${panels.join('\n')}
</svg>
`;
};

const panel = (series: Series): string => {
  const { name, unit, points } = series;
  const width = WIDTH - LEFT - RIGHT;
  const [fromS, untilS] = [points[0]?.[0] ?? 0, points.at(-1)?.[0] ?? 1];
  const top = Math.max(1, ...points.map(([, value]) => value)) * 1.1;
  const x = (atS: number): number => Math.round(((atS - fromS) / (untilS - fromS)) * width * 10) / 10;
  const y = (value: number): number => Math.round((1 - value / top) * PANEL * 10) / 10;
  const { mean, drift } = driftOf(series);
  const line = points.map(([atS, value]) => `${x(atS)},${y(value)}`).join(' ');
  const ends = [y(mean - drift / 2), y(mean + drift / 2)];
  return [
    `<text x="0" y="-6">${name}, ${unit}: mean ${shown(mean)}, drift ${shown(drift)}</text>`,
    ...[0, top / 1.1].map(
      (value) =>
        `<line x2="${width}" y1="${y(value)}" y2="${y(value)}" style="stroke:var(--line)"/><text x="-8" y="${y(value) + 4}" text-anchor="end">${shown(value)}</text>`,
    ),
    `<polyline points="${line}" style="fill:none;stroke:var(--ours)"/>`,
    `<line x2="${width}" y1="${ends[0]}" y2="${ends[1]}" stroke-dasharray="4 4" style="stroke:var(--ink)"/>`,
    `<text x="0" y="${PANEL + 16}">${Math.round(fromS / 60)} min</text>`,
    `<text x="${width}" y="${PANEL + 16}" text-anchor="end">${Math.round(untilS / 60)} min</text>`,
  ].join('');
};

const shown = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: value < 10 ? 1 : 0 });
