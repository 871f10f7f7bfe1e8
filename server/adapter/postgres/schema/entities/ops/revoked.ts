import { EntitySchema } from 'typeorm';
import { textId, wholeNumber } from '../columns.ts';

export interface RevokedRow {
  readonly bearer: string;
  readonly issuedUntilMs: number;
  readonly untilMs: number | null;
  readonly revokedAtMs: number;
}

export const revokedEntity = new EntitySchema<RevokedRow>({
  name: 'revoked',
  columns: {
    bearer: { ...textId, primary: true },
    issuedUntilMs: { ...wholeNumber, name: 'issued_until_at' },
    untilMs: { ...wholeNumber, name: 'until_at', nullable: true },
    revokedAtMs: { ...wholeNumber, name: 'revoked_at' },
  },
  indices: [{ name: 'revoked_recent', columns: ['revokedAtMs'] }],
});
