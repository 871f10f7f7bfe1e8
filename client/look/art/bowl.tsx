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
export const Bowl = ({ fill }: { readonly fill: number }) => (
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
