import type { ComponentChild } from 'preact';

const Wood = () => (
  <>
    <rect x="7" y="24" width="28" height="11" rx="5.5" fill="#a56a3a" />
    <rect x="13" y="13" width="28" height="11" rx="5.5" fill="#b9783f" />
    <circle cx="35" cy="29.5" r="5.5" fill="#efd2a4" />
    <circle cx="41" cy="18.5" r="5.5" fill="#efd2a4" />
    <g fill="none" stroke="#b9783f" stroke-width="1.6">
      <circle cx="35" cy="29.5" r="2.4" />
      <circle cx="41" cy="18.5" r="2.4" />
    </g>
  </>
);

const Gold = () => (
  <>
    <ellipse cx="24" cy="33" rx="14" ry="6" fill="#b87a12" />
    <circle cx="24" cy="22" r="14" fill="#e5a52b" />
    <circle cx="24" cy="22" r="10" fill="#f6cc5f" />
    <path
      d="M24 16 l1.900 4 4.400 0.500 -3.200 3 0.800 4.400 -3.900 -2.100 -3.900 2.100 0.800 -4.400 -3.200 -3 4.400 -0.500z"
      fill="#d18f1a"
    />
  </>
);

const Seed = () => (
  <>
    <path d="M15 38 q-5 -9 4 -17 q9 8 4 17 q-4 3 -8 0z" fill="#b9783f" />
    <path d="M28 35 q-4 -8 4 -15 q8 7 4 15 q-4 3 -8 0z" fill="#a56a3a" />
    <path d="M24 17 q0 -6 -8 -8 q1 8 8 8z" fill="#5f9a53" />
    <path d="M24 17 q0 -8 9 -10 q0 9 -9 10z" fill="#7bb56c" />
  </>
);

const Wheat = () => (
  <>
    <path d="M24 44 v-22" stroke="#b98a2c" stroke-width="2.6" stroke-linecap="round" />
    <g fill="#e9b944">
      <ellipse cx="24" cy="9" rx="3.6" ry="6" />
      <ellipse cx="17.5" cy="16" rx="3.400" ry="6" transform="rotate(-32 17.5 16)" />
      <ellipse cx="30.5" cy="16" rx="3.400" ry="6" transform="rotate(32 30.5 16)" />
      <ellipse cx="17.5" cy="25" rx="3.400" ry="6" transform="rotate(-32 17.5 25)" />
      <ellipse cx="30.5" cy="25" rx="3.400" ry="6" transform="rotate(32 30.5 25)" />
    </g>
  </>
);

const Gem = () => (
  <>
    <path d="M14 10 h20 l8 11 -18 20 -18 -20z" fill="#5aa9dd" />
    <path d="M14 10 h20 l-4 11 h-12z" fill="#a8d8f5" />
    <path d="M18 21 h12 l-6 20z" fill="#7cc0ea" />
    <path d="M6 21 h12 l6 20z" fill="#3f8cc4" />
  </>
);

/** Goods that a town gives and takes. */
export const goods: Readonly<Record<string, () => ComponentChild>> = {
  wood: Wood,
  gold: Gold,
  seed: Seed,
  wheat: Wheat,
  gem: Gem,
};
