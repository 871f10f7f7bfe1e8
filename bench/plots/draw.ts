import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import { type Dot, digestOf, type Panel, type PlotData } from '../figures/plots.ts';

const WIDTH = 820;
const [HEAD, FOOT, AXIS, LINE] = [62, 26, 52, 24];
const ROW_NAMES = 240;
const GAP = 12;
/** Room for half of a tick's label. */
const EDGE = 18;
const LEGEND_STEP = 8;

/** A document for drawing without a browser. */
const { document } = parseHTML('<!doctype html><html><body></body></html>');

/** The picture of these figures, as the text of an SVG file. */
export const draw = (data: PlotData): string => {
  const height = HEAD + data.rows.length * LINE + AXIS + FOOT;
  const panelWidth = (WIDTH - ROW_NAMES - 10 - GAP * (data.panels.length - 1)) / data.panels.length;
  const bottom = HEAD + data.rows.length * LINE;
  const panels = data.panels.map((panel, at) => {
    const x = ROW_NAMES + at * (panelWidth + GAP);
    const label = { x: x + panelWidth / 2, y: bottom + 38, size: 11.5, color: 'soft', anchor: 'middle' } as const;
    return `<g transform="translate(${x} ${HEAD})">${drawPanel(panel, data, panelWidth)}</g>${words(panel.label, label)}`;
  });
  const names = data.rows.map((row, at) =>
    words(row, {
      x: ROW_NAMES - 4,
      y: HEAD + (at + 0.5) * LINE + 4.5,
      size: 13,
      anchor: 'end',
      ...(data.ours.includes(row) ? { color: 'ours', weight: 650 } : { color: 'ink' }),
    }),
  );
  const inner = [
    words(data.title, { x: 16, y: 26, size: 16, weight: 650, color: 'ink' }),
    legendOf(data),
    ...names,
    ...panels,
    words(data.note, { x: WIDTH - 16, y: height - 10, size: 10.5, color: 'soft', anchor: 'end' }),
  ].join('\n');
  return svgFile(data, height, inner);
};

const colorOf = (dot: Dot, { ours, series }: PlotData): string => {
  const look = series.find(({ name }) => name === dot.series)?.look ?? 'full';
  if (look === 'light' || look === 'middle' || look === 'dark' || look === 'darkest') return `var(--${look})`;
  return ours.includes(dot.row) ? 'var(--ours)' : 'var(--theirs)';
};

const drawPanel = ({ dots }: Panel, data: PlotData, width: number): string => {
  const lookOf = (dot: Dot) => data.series.find(({ name }) => name === dot.series)?.look;
  const lines = dots.filter(({ from }) => from !== undefined);
  const ticks = dots.filter((dot) => lookOf(dot) === 'tick');
  const round = dots.filter((dot) => lookOf(dot) !== 'tick');
  const figure = Plot.plot({
    document,
    width,
    height: data.rows.length * LINE + AXIS,
    marginLeft: EDGE,
    marginRight: EDGE,
    marginTop: 0,
    marginBottom: AXIS,
    x: { type: 'log', label: null, ticks: powersIn(dots), tickFormat: show },
    y: { domain: data.rows, axis: null, padding: 0 },
    style: { color: 'var(--soft)', fontSize: '11.5px', background: 'none', fontFamily: 'inherit' },
    marks: [
      Plot.gridX(powersIn(dots), { stroke: 'var(--line)', strokeOpacity: 1 }),
      Plot.ruleY(data.rows, { stroke: 'var(--line)', strokeOpacity: 0.55, strokeDasharray: '1 3' }),
      Plot.link(lines, {
        x1: 'from',
        x2: 'to',
        y1: 'row',
        y2: 'row',
        strokeWidth: 2,
        strokeOpacity: 0.55,
        stroke: (dot: Dot) => colorOf(dot, data),
      }),
      Plot.tickX(ticks, { x: 'value', y: 'row', strokeWidth: 2, inset: 6, stroke: (dot: Dot) => colorOf(dot, data) }),
      Plot.dot(round, {
        x: 'value',
        y: 'row',
        r: 4.5,
        strokeWidth: 2,
        stroke: (dot: Dot) => colorOf(dot, data),
        fill: (dot: Dot) => (lookOf(dot) === 'open' ? 'var(--paper)' : colorOf(dot, data)),
      }),
    ],
    color: { type: 'identity' },
  });
  return figure.outerHTML.replace(/<style>[\s\S]*?<\/style>/, '');
};

/** Powers of ten, so that a step means the same everywhere. */
const powersIn = (dots: readonly Dot[]): readonly number[] => {
  const values = dots.flatMap(({ value, from = value, to = value }) => [value, from, to]);
  const [least, most] = [Math.floor(Math.log10(Math.min(...values))), Math.ceil(Math.log10(Math.max(...values)))];
  return Array.from({ length: most - least + 1 }, (_, at) => 10 ** (least + at));
};

const show = (value: number): string => {
  if (value >= 1e6) return `${value / 1e6} M`;
  return value >= 1_000 ? `${value / 1_000} k` : String(Number(value.toPrecision(1)));
};

const legendOf = (data: PlotData): string => {
  let x = 20;
  return data.series
    .map(({ name, look }) => {
      const color = look === 'open' || look === 'full' || look === 'tick' ? 'theirs' : look;
      const fill = look === 'open' ? 'var(--paper)' : `var(--${color})`;
      const mark =
        look === 'tick'
          ? `<path d="M${x} 40v12" style="stroke:var(--${color})" stroke-width="2"/>`
          : `<circle cx="${x}" cy="46" r="4.5" style="fill:${fill};stroke:var(--${color})" stroke-width="2"/>`;
      const text = words(name, { x: x + 10, y: 50, size: 12, color: 'soft' });
      x += 10 + name.length * 6.2 + LEGEND_STEP + 12;
      return mark + text;
    })
    .join('');
};

/** Readable on any background: it has its own, and follows the reader's theme if possible. */
const style = `
svg { --paper: #ffffff; --ink: #1f2328; --soft: #59636e; --line: #d9dfe5; --ours: #0a7d4b; --theirs: #4a5a6a;
  --light: #9fc5e8; --middle: #4a90c8; --dark: #1f5f99; --darkest: #0b2f55; }
@media (prefers-color-scheme: dark) { svg { --paper: #0d1117; --ink: #e6edf3; --soft: #9aa5b1; --line: #2b323b;
  --ours: #4cc38a; --theirs: #a9b6c4; --light: #2c5f8f; --middle: #4a90c8; --dark: #8cc0ec; --darkest: #e2f1ff; } }
text { font-family: system-ui, -apple-system, "Segoe UI", sans-serif; }`;

/** Drawn parts beside each other, with a title, a legend and a note, as one file. */
const svgFile = (
  data: PlotData,
  height: number,
  inner: string,
): string => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" data-figures="${digestOf(data)}">
<title>${escaped(data.title)}</title>
<style>${style}
</style>
<rect width="${WIDTH}" height="${height}" rx="6" style="fill:var(--paper)"/>
${inner}
</svg>
`;

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

interface Words {
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly color: string;
  readonly weight?: number;
  readonly anchor?: 'start' | 'middle' | 'end';
}

const words = (text: string, { x, y, size, color, weight = 400, anchor = 'start' }: Words): string =>
  `<text x="${x}" y="${y}" font-size="${size}" font-weight="${weight}" text-anchor="${anchor}" style="fill:var(--${color})">${escaped(text)}</text>`;
