/** Names one life of the database and, of an id that was erased, which life of it: their `seq` do not compare. */
export const epochOf = (epoch: string, life: number | undefined): string => (life ? `${epoch}.${life}` : epoch);
