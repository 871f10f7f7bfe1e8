import type { Mood } from './mood.ts';

interface FaceProps {
  readonly mood: Mood;
  /** Middle of the eyes. */
  readonly y: number;
  /** Half of the distance between them. */
  readonly apart: number;
}

const INK = '#33231b';

/** Both eyes, from the middle of the drawing. Open ones blink. */
export const Eyes = ({ mood, y, apart }: FaceProps) => {
  if (mood === 'happy' || mood === 'eating') {
    const lift = mood === 'happy' ? -6.5 : -4.5;
    return (
      <g fill="none" stroke={INK} stroke-width="2.6" stroke-linecap="round">
        <path d={`M${60 - apart - 5} ${y + 1} q5 ${lift} 10 0`} />
        <path d={`M${60 + apart - 5} ${y + 1} q5 ${lift} 10 0`} />
      </g>
    );
  }
  const side = mood === 'waiting' ? 2 : 0;
  return (
    <g class="art-eyes">
      {[60 - apart, 60 + apart].map((x) => (
        <g key={x}>
          <ellipse cx={x} cy={y} rx="4.6" ry="5.6" fill={INK} />
          <circle cx={x + 1.5 + side} cy={y - 2} r="1.7" fill="#fff" />
        </g>
      ))}
    </g>
  );
};

interface MouthProps {
  readonly mood: Mood;
  /** Just below the nose. */
  readonly y: number;
}

export const Mouth = ({ mood, y }: MouthProps) => {
  if (mood === 'happy') {
    return (
      <g>
        <path d={`M52 ${y} q8 13 16 0 z`} fill="#7c2d2a" stroke={INK} stroke-width="2" stroke-linejoin="round" />
        <path d={`M56 ${y + 4.5} q4 5 8 0 q-4 -3 -8 0z`} fill="#f58c8c" />
      </g>
    );
  }
  if (mood === 'eating') return <ellipse class="art-chew" cx="60" cy={y + 3} rx="4.5" ry="3.4" fill="#7c2d2a" />;
  const bend = mood === 'waiting' ? 'q4 -3 8 0' : 'q4 4 8 0';
  return (
    <g fill="none" stroke={INK} stroke-width="2.2" stroke-linecap="round">
      {mood === 'waiting' ? <path d={`M56 ${y + 3} ${bend}`} /> : <path d={`M52 ${y} ${bend} ${bend}`} />}
    </g>
  );
};

export const Cheeks = ({ y, apart }: { readonly y: number; readonly apart: number }) => (
  <g fill="#f2877f" opacity="0.45">
    <ellipse cx={60 - apart} cy={y} rx="5.5" ry="3.6" />
    <ellipse cx={60 + apart} cy={y} rx="5.5" ry="3.6" />
  </g>
);
