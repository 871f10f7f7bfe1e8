import type { ComponentChild } from 'preact';
import { goods } from './goods.tsx';

const Kibble = () => (
  <>
    <path d="M13 20 h22 l4 19 q-15 6 -30 0z" fill="#df6f3f" />
    <path d="M13 20 h22 l0.7 3.5 h-23.400z" fill="#f29a6c" />
    <path d="M14 20 q2 -9 8 -8 q3 -5 7 -1 q6 1 6 9z" fill="#b9783f" />
    <g fill="#8f5527">
      <circle cx="20" cy="16" r="1.6" />
      <circle cx="26" cy="14" r="1.6" />
      <circle cx="30" cy="17.5" r="1.6" />
    </g>
    <path d="M24 34.5 q-6 -3 -6 -6.5 a3.2 3.2 0 0 1 6 -1.3 a3.2 3.2 0 0 1 6 1.3 q0 3.5 -6 6.500z" fill="#fff1df" />
  </>
);

const Snack = () => (
  <g transform="rotate(-35 24 24)">
    <rect x="13" y="19" width="22" height="10" rx="4" fill="#efd2a4" />
    <circle cx="12.5" cy="19.5" r="5.5" fill="#efd2a4" />
    <circle cx="12.5" cy="28.5" r="5.5" fill="#efd2a4" />
    <circle cx="35.5" cy="19.5" r="5.5" fill="#efd2a4" />
    <circle cx="35.5" cy="28.5" r="5.5" fill="#efd2a4" />
    <path d="M15 22 h18" stroke="#fff4e0" stroke-width="2.5" stroke-linecap="round" />
  </g>
);

const Food = () => (
  <>
    <circle cx="24" cy="27" r="13" fill="#d9534a" />
    <path d="M24 15 q0 -6 5 -8" fill="none" stroke="#6b4526" stroke-width="2.6" stroke-linecap="round" />
    <path d="M26 12 q6 -5 11 -1 q-5 5 -11 1z" fill="#5f9a53" />
    <ellipse cx="19" cy="23" rx="3.5" ry="5" fill="#f2938b" transform="rotate(20 19 23)" />
  </>
);

/** A card's face: the same paper for all, its own colour and sign for each effect. */
const card = (colour: string, paper: string, sign: ComponentChild) => () => (
  <>
    <rect x="9" y="4" width="30" height="40" rx="6" fill={paper} stroke={colour} stroke-width="2.4" />
    {sign}
  </>
);

const Cut = card(
  '#2f7fb0',
  '#e8f4fb',
  <g fill="#2f7fb0">
    <path d="M13.5 16 l9.5 8 l-9.5 8z" />
    <path d="M24 16 l9.5 8 l-9.5 8z" />
    <rect x="33" y="16" width="2.4" height="16" rx="1.2" />
  </g>,
);

const Rate = card(
  '#8d55ad',
  '#f5ebfa',
  <>
    <path d="M26.5 11 l-11 15 h7.5 l-2.5 11 l12 -16 h-8z" fill="#8d55ad" />
    <path d="M26.5 11 l-11 15 h4 l7.5 -10z" fill="#b583d1" />
  </>,
);

const Repeat = card(
  '#438a56',
  '#e9f6ea',
  <>
    <path
      d="M15.5 25 a8.5 8.5 0 0 1 14.5 -7 M32.5 23 a8.5 8.5 0 0 1 -14.5 7"
      fill="none"
      stroke="#438a56"
      stroke-width="3"
      stroke-linecap="round"
    />
    <path d="M31.5 12.5 l0.5 8 l-7.5 -2.500z" fill="#438a56" />
    <path d="M16.5 35.5 l-0.5 -8 l7.5 2.500z" fill="#438a56" />
  </>,
);

const foods: Readonly<Record<string, () => ComponentChild>> = {
  'dog-food': Kibble,
  snack: Snack,
  ...goods,
};
const cards = { cut: Cut, rate: Rate, repeat: Repeat } as const;

interface ItemArtProps {
  readonly item: string;
  /** Of a card: all cards of one effect look alike. */
  readonly effect?: keyof typeof cards | undefined;
}

/** A food, a card, or what a town gives and takes. Decoration: its name stands beside it. */
export const ItemArt = ({ item, effect }: ItemArtProps) => {
  const Known = Object.hasOwn(foods, item) ? (foods[item] ?? Food) : Food;
  const Drawn = effect === undefined ? Known : cards[effect];
  return (
    <svg class="item-art" viewBox="0 0 48 48" aria-hidden="true">
      <Drawn />
    </svg>
  );
};
