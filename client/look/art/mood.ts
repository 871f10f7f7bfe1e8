/** A pet's mood: each changes eyes, mouth, bowl and the way it moves, not colour alone. */
export type Mood = 'idle' | 'eating' | 'waiting' | 'happy';
