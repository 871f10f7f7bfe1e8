import { coatOf, Head } from './heads.tsx';
import type { Mood } from './mood.ts';

interface PetArtProps {
  readonly species: string;
  readonly mood: Mood;
  /** How full its bowl is, 0 to 1; undefined: no bowl. */
  readonly bowl?: number | undefined;
}

/** A pet from the chest up, with its bowl. Decoration: the words beside it say the same. */
export const PetArt = ({ species, mood, bowl }: PetArtProps) => (
  <svg class={`art art-${mood}`} viewBox="0 0 120 120" aria-hidden="true">
    <path d="M60 78 c26 0 36 18 37 34 q-37 12 -74 0 c1 -16 11 -34 37 -34z" fill={coatOf(species)} />
    <path d="M60 82 c13 0 17 12 17 24 q-17 8 -34 0 c0 -12 4 -24 17 -24z" fill="#fff6e9" opacity="0.75" />
    <g class="art-head">
      <Head species={species} mood={mood} />
    </g>
    {bowl === undefined ? undefined : <Bowl fill={bowl} />}
    {mood === 'waiting' ? <Thought /> : undefined}
    {mood === 'happy' ? <Sparkles /> : undefined}
    {mood === 'eating' ? <Crumbs /> : undefined}
  </svg>
);

const Thought = () => (
  <g class="art-thought">
    <circle cx="89" cy="33" r="2.6" fill="#fff" stroke="#d9c3a6" />
    <path
      d="M93 8 q4 -7 11 -3 q9 -1 9 7 q5 5 -1 10 q-3 6 -10 3 q-8 3 -11 -3 q-7 -4 -3 -9 q0 -4 5 -5z"
      fill="#fff"
      stroke="#d9c3a6"
    />
    <path d="M94 15 q8 3 16 0 l-1.5 5 q-6.5 2.5 -13 0z" fill="#df6f3f" />
  </g>
);

const Sparkles = () => (
  <g class="art-sparkles" fill="#f2b233">
    <path d="M18 30 l2 -6 l2 6 l6 2 l-6 2 l-2 6 l-2 -6 l-6 -2z" />
    <path d="M98 20 l1.5 -5 l1.5 5 l5 1.5 l-5 1.5 l-1.5 5 l-1.5 -5 l-5 -1.500z" />
    <path d="M102 62 c-3 -5 -9 -1 -6 3.5 l6 6 l6 -6 c3 -4.5 -3 -8.5 -6 -3.500z" fill="#e8697a" />
  </g>
);

const Crumbs = () => (
  <g class="art-crumbs" fill="#b9783f">
    <circle cx="38" cy="84" r="2" />
    <circle cx="83" cy="83" r="1.7" />
    <circle cx="77" cy="78" r="1.4" />
  </g>
);

/** How full a bowl can be drawn. */
const MORSELS = [
  [46, 92],
  [54, 90],
  [62, 91],
  [70, 92],
  [50, 88],
  [58, 86],
  [66, 87],
] as const;

/** A bowl in front of the pet; `fill` from 0 (empty) to 1. */
const Bowl = ({ fill }: { readonly fill: number }) => (
  <g>
    <ellipse cx="60" cy="93" rx="24" ry="5.5" fill="#8d4a2b" />
    {MORSELS.slice(0, Math.ceil(fill * MORSELS.length)).map(([x, y]) => (
      <ellipse key={`${x}-${y}`} cx={x} cy={y} rx="5.2" ry="4.2" fill="#b9783f" stroke="#8f5527" stroke-width="1.2" />
    ))}
    <path d="M36 93 q24 11 48 0 l-4.5 15 q-19.5 7 -39 0 z" fill="#df6f3f" />
    <path d="M36 93 q24 11 48 0" fill="none" stroke="#f29a6c" stroke-width="2.4" stroke-linecap="round" />
    <path d="M60 101.5 m-5 -1 a3 3 0 0 1 5 -1 a3 3 0 0 1 5 1 q0 3.6 -5 6 q-5 -2.4 -5 -6z" fill="#fff1df" />
  </g>
);
