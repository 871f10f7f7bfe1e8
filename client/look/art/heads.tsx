import type { ComponentChild } from 'preact';
import { Cheeks, Eyes, Mouth } from './face.tsx';
import type { Mood } from './mood.ts';

interface HeadProps {
  readonly mood: Mood;
}

const Dog = ({ mood }: HeadProps) => (
  <>
    <path d="M36 38 q-17 -5 -19 18 q-1 22 12 21 q9 -2 9 -24z" fill="#8a5230" class="art-ear-left" />
    <path d="M84 38 q17 -5 19 18 q1 22 -12 21 q-9 -2 -9 -24z" fill="#8a5230" class="art-ear-right" />
    <path d="M60 26 c26 0 32 18 31 34 c-1 18 -14 27 -31 27 s-30 -9 -31 -27 c-1 -16 5 -34 31 -34z" fill="#cf8a54" />
    <path d="M60 26 c7 0 9 10 7 22 q-2 10 -7 12 q-5 -2 -7 -12 c-2 -12 0 -22 7 -22z" fill="#f7e3cb" />
    <ellipse cx="60" cy="71" rx="19" ry="14.5" fill="#f7e3cb" />
    <Eyes mood={mood} y={54} apart={16} />
    <Cheeks y={68} apart={24} />
    <path d="M53.5 62 q6.5 -4 13 0 q0 6 -6.5 7 q-6.5 -1 -6.5 -7z" fill="#33231b" />
    <ellipse cx="58" cy="62.6" rx="2" ry="1.1" fill="#fff" opacity="0.7" />
    <Mouth mood={mood} y={72} />
  </>
);

const Cat = ({ mood }: HeadProps) => (
  <>
    <path d="M31 48 l-1 -31 q1 -4 5 -1 l22 17z" fill="#e79a3f" class="art-ear-left" />
    <path d="M35 40 l-1 -16 l13 11z" fill="#f7b8a5" />
    <path d="M89 48 l1 -31 q-1 -4 -5 -1 l-22 17z" fill="#e79a3f" class="art-ear-right" />
    <path d="M85 40 l1 -16 l-13 11z" fill="#f7b8a5" />
    <path d="M60 29 c24 0 33 14 33 29 c0 18 -15 28 -33 28 s-33 -10 -33 -28 c0 -15 9 -29 33 -29z" fill="#f0ab52" />
    <g fill="none" stroke="#cf7c26" stroke-width="3.6" stroke-linecap="round">
      <path d="M60 31 v10 M51 32 l2 8 M69 32 l-2 8" />
      <path d="M28.5 60 l8 1.5 M30.5 68 l7 -1 M91.5 60 l-8 1.5 M89.5 68 l-7 -1" />
    </g>
    <path d="M60 64 c9 0 16 4 16 11 c0 7 -7 10.5 -16 10.5 s-16 -3.5 -16 -10.5 c0 -7 7 -11 16 -11z" fill="#fff0dc" />
    <Eyes mood={mood} y={56} apart={16} />
    <Cheeks y={68} apart={23} />
    <path d="M56 64.5 h8 q-1 4.5 -4 5 q-3 -0.5 -4 -5z" fill="#d8606a" />
    <g stroke="#8a5a2c" stroke-width="1.2" stroke-linecap="round" opacity="0.65">
      <path d="M40 71 l-15 -3 M40 75 l-15 2 M80 71 l15 -3 M80 75 l15 2" />
    </g>
    <Mouth mood={mood} y={72} />
  </>
);

const Rabbit = ({ mood }: HeadProps) => (
  <>
    <path d="M47 44 c-14 -6 -18 -36 -10 -40 c9 -3 17 16 19 36z" fill="#d9cfd4" class="art-ear-left" />
    <path d="M46 36 c-8 -6 -10 -24 -6 -26 c5 -1 9 12 11 26z" fill="#f3b3b6" class="art-ear-left" />
    <path d="M73 44 c14 -6 18 -36 10 -40 c-9 -3 -17 16 -19 36z" fill="#d9cfd4" class="art-ear-right" />
    <path d="M74 36 c8 -6 10 -24 6 -26 c-5 -1 -9 12 -11 26z" fill="#f3b3b6" class="art-ear-right" />
    <path d="M60 32 c22 0 31 14 31 29 c0 17 -14 26 -31 26 s-31 -9 -31 -26 c0 -15 9 -29 31 -29z" fill="#e9e1e4" />
    <ellipse cx="51.5" cy="73" rx="11" ry="9" fill="#fffafa" />
    <ellipse cx="68.5" cy="73" rx="11" ry="9" fill="#fffafa" />
    <Eyes mood={mood} y={57} apart={16.5} />
    <Cheeks y={69} apart={24} />
    <path d="M55.5 65 q4.5 -3 9 0 q0 4 -4.5 5 q-4.5 -1 -4.5 -5z" fill="#d9717c" />
    <Mouth mood={mood} y={72} />
    {mood === 'eating' ? undefined : (
      <path
        d="M57 76 h6 v5 q0 1.5 -1.5 1.5 h-3 q-1.5 0 -1.5 -1.500z M60 76 v6"
        fill="#fff"
        stroke="#bfb2b8"
        stroke-width="0.9"
      />
    )}
  </>
);

/** For species of other games' rules: a round head. */
const Other = ({ mood }: HeadProps) => (
  <>
    <circle cx="37" cy="35" r="11" fill="#5d8f86" />
    <circle cx="83" cy="35" r="11" fill="#5d8f86" />
    <path d="M60 27 c25 0 34 15 34 31 c0 18 -15 29 -34 29 s-34 -11 -34 -29 c0 -16 9 -31 34 -31z" fill="#7fb3a8" />
    <ellipse cx="60" cy="71" rx="19" ry="14" fill="#e3f2ec" />
    <Eyes mood={mood} y={55} apart={16} />
    <Cheeks y={68} apart={25} />
    <ellipse cx="60" cy="64.5" rx="4.5" ry="3.2" fill="#33231b" />
    <Mouth mood={mood} y={71} />
  </>
);

const heads: Readonly<Record<string, (props: HeadProps) => ComponentChild>> = { dog: Dog, cat: Cat, rabbit: Rabbit };

const coats: Readonly<Record<string, string>> = { dog: '#b87544', cat: '#e79a3f', rabbit: '#d9cfd4' };

export const Head = ({ species, mood }: { readonly species: string; readonly mood: Mood }) => {
  const Kind = Object.hasOwn(heads, species) ? (heads[species] ?? Other) : Other;
  return <Kind mood={mood} />;
};

export const coatOf = (species: string): string =>
  Object.hasOwn(coats, species) ? (coats[species] ?? '#7fb3a8') : '#7fb3a8';
