/** How a thing of a town looks: it has nothing to do, is in a queue, is at work, or has something to collect. */
export type ThingMood = 'rests' | 'waits' | 'runs' | 'holds';
