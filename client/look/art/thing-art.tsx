import type { ComponentChild } from 'preact';
import type { ThingMood } from './thing-mood.ts';

interface Drawn {
  readonly level: number;
  readonly mood: ThingMood;
}

/** It grows with its level: a roof more, up to three. */
const Hall = ({ level, mood }: Drawn) => (
  <>
    {level > 1 ? <path d="M66 40 h22 v40 h-22z M62 42 l15 -17 15 17z" fill="#c98a55" /> : undefined}
    {level > 2 ? <path d="M12 40 h22 v40 h-22z M8 42 l15 -17 15 17z" fill="#c98a55" /> : undefined}
    <rect x="26" y="44" width="48" height="38" rx="3" fill="#efd2a4" />
    <path d="M18 47 L50 17 L82 47z" fill="#df6f3f" />
    <path d="M50 17 L82 47 h-9 L50 25z" fill="#f29a6c" />
    <path d="M42 82 v-18 a8 8 0 0 1 16 0 v18z" fill="#8f5527" />
    <g fill={mood === 'runs' ? '#fff1b8' : '#9fc7de'}>
      <rect x="31" y="54" width="8" height="9" rx="2" />
      <rect x="61" y="54" width="8" height="9" rx="2" />
    </g>
    {level > 0 ? <path d="M50 17 v-11 l13 4 -13 5" fill="#7a4596" stroke="#7a4596" stroke-width="1.6" /> : undefined}
  </>
);

const rows = [30, 50, 70] as const;

const Plot = ({ mood }: Drawn) => (
  <>
    <path d="M10 58 L50 42 L90 58 L50 84z" fill="#8f5527" />
    <path d="M24 60 L52 48 M36 67 L66 53 M48 75 L80 59" stroke="#6b3d19" stroke-width="3.4" stroke-linecap="round" />
    {mood === 'rests' || mood === 'waits'
      ? undefined
      : rows.map((x) => <Stalk key={x} x={x} isRipe={mood === 'holds'} />)}
  </>
);

const Stalk = ({ x, isRipe }: { readonly x: number; readonly isRipe: boolean }) => (
  <g transform={`translate(${x} ${62 - Math.abs(x - 50) / 5})`}>
    <path d="M0 0 v-20" stroke={isRipe ? '#b98a2c' : '#5f9a53'} stroke-width="2.8" stroke-linecap="round" />
    {isRipe ? (
      <g fill="#e9b944">
        <ellipse cx="0" cy="-32" rx="4" ry="7" />
        <ellipse cx="-6" cy="-23" rx="3.6" ry="6.500" transform="rotate(-30 -6 -23)" />
        <ellipse cx="6" cy="-23" rx="3.6" ry="6.500" transform="rotate(30 6 -23)" />
      </g>
    ) : (
      <path d="M0 -10 q-9 -1 -10 -9 q9 0 10 9z M0 -14 q9 -1 10 -10 q-9 1 -10 10z" fill="#7bb56c" />
    )}
  </g>
);

const Chest = ({ mood }: Drawn) => (
  <>
    {mood === 'holds' ? (
      <>
        <path d="M20 34 q0 -18 30 -18 q30 0 30 18 l-4 6 h-52z" fill="#8f5527" />
        <ellipse cx="50" cy="48" rx="26" ry="9" fill="#f6cc5f" />
        <g fill="#e5a52b">
          <circle cx="38" cy="45" r="5" />
          <circle cx="52" cy="42" r="5.500" />
          <circle cx="64" cy="46" r="4.500" />
        </g>
      </>
    ) : (
      <path d="M20 52 q0 -22 30 -22 q30 0 30 22z" fill="#b9783f" />
    )}
    <rect x="20" y="50" width="60" height="30" rx="4" fill="#a56a3a" />
    <path d="M20 56 h60" stroke="#6b3d19" stroke-width="3" />
    <rect x="43" y="48" width="14" height="17" rx="4" fill={mood === 'runs' ? '#fff1b8' : '#e5a52b'} />
    <path d="M50 54 v5" stroke="#6b3d19" stroke-width="3" stroke-linecap="round" />
  </>
);

/** For things that have no picture of their own. */
const Crate = () => (
  <>
    <rect x="24" y="30" width="52" height="50" rx="5" fill="#c98a55" />
    <path d="M24 44 h52 M24 66 h52 M40 30 v50 M60 30 v50" stroke="#8f5527" stroke-width="3.4" />
  </>
);

const drawn: Readonly<Record<string, (facts: Drawn) => ComponentChild>> = { hall: Hall, plot: Plot, chest: Chest };

/** A thing of the town. Decoration: its name stands beside it. */
export const ThingArt = ({ name, ...facts }: Drawn & { readonly name: string }) => {
  const Known = Object.hasOwn(drawn, name) ? (drawn[name] ?? Crate) : Crate;
  return (
    <svg class="item-art" viewBox="0 0 100 100" aria-hidden="true">
      <ellipse cx="50" cy="83" rx="42" ry="8" fill="#000" opacity="0.08" />
      <Known {...facts} />
    </svg>
  );
};
