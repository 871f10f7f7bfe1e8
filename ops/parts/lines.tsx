import { useEffect, useRef } from 'preact/hooks';
import UPlot from 'uplot';

interface Line {
  readonly label: string;
  /** A token of the look, such as `--accent`. */
  readonly colour: string;
  readonly values: readonly number[];
  /** Tints the area below the line. */
  readonly isFilled?: boolean;
}

interface Props {
  /** A description in words. */
  readonly label: string;
  readonly atMs: readonly number[];
  /** The right end. */
  readonly nowMs: number;
  readonly lines: readonly Line[];
  /** The format of values at the axis. */
  readonly unit: (value: number) => string;
}

const HEIGHT = 180;
const LEAST_SPAN_S = 600;
/** Steps of the labels, in seconds. Labels show minutes: with finer steps two would be equal. */
const WHOLE_MINUTES = [1, 2, 5, 10, 15, 30, 60, 120, 240, 480, 1440].map((minutes) => minutes * 60);

/** Values over time. The text beside them has the present numbers. */
export const Lines = ({ label, atMs, nowMs, lines, unit }: Props) => {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot>(undefined);
  const data: UPlot.AlignedData = [[...atMs, nowMs].map((ms) => ms / 1000), ...lines.map(({ values }) => [...values])];
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const make = (): void => {
      plot.current?.destroy();
      plot.current = new UPlot(optionsOf(lines, unit, element.clientWidth), data, element);
    };
    make();
    const size = new ResizeObserver(() => plot.current?.setSize({ width: element.clientWidth, height: HEIGHT }));
    size.observe(element);
    // A canvas does not follow the page's colours by itself.
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', make);
    return () => {
      size.disconnect();
      scheme.removeEventListener('change', make);
      plot.current?.destroy();
    };
  }, []);
  useEffect(() => plot.current?.setData(data));
  return <div ref={place} class="lines" role="img" aria-label={label} />;
};

const optionsOf = (lines: readonly Line[], unit: (value: number) => string, width: number): UPlot.Options => {
  const axis = {
    stroke: colourOf('--ink-soft'),
    grid: { stroke: colourOf('--line'), width: 1 },
    ticks: { show: false },
    font: '12px system-ui, sans-serif',
  };
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false } },
    scales: {
      // One point, or a few seconds, make no axis.
      x: {
        range: (_plot, min, max) => {
          const middle = (min + max) / 2;
          return max - min < LEAST_SPAN_S ? [middle - LEAST_SPAN_S / 2, middle + LEAST_SPAN_S / 2] : [min, max];
        },
      },
      y: { range: (_plot, _min, max) => [0, Math.max(1, max * 1.15)] },
    },
    axes: [
      { ...axis, size: 30, space: 80, incrs: WHOLE_MINUTES, values: '{HH}:{mm}' },
      { ...axis, size: 64, values: (_plot, values) => values.map((value) => unit(value)) },
    ],
    series: [
      {},
      ...lines.map(({ label, colour, isFilled }) => ({
        label,
        ...(isFilled ? { fill: `${colourOf(colour)}22` } : {}),
        stroke: colourOf(colour),
        width: 2,
        points: { size: 4, fill: colourOf(colour) },
      })),
    ],
  };
};

const colourOf = (token: string): string => getComputedStyle(document.documentElement).getPropertyValue(token).trim();
