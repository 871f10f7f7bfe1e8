import { expect, it } from 'vitest';
import { openTransaction, refuseIfNone } from '../../../server/timer/model/open-transaction.ts';
import { HandlerStuck, TransactionRefused } from '../../../server/timer/model/timer-errors.ts';
import { callsEnded } from '../../../server/timer/model/timer-kind.ts';
import { OptionsRefused } from '../../../shared/options/options-refused.ts';
import { readOptions } from '../../../shared/options/read-options.ts';

const query = async () => ({ rows: [] });

it('a transaction is a client with `query`, and no pool', () => {
  const client = { query };
  expect(readOptions(openTransaction, client, 'within')).toBe(client);
  for (const given of [{ query, totalCount: 1 }, { query: 7 }, {}, null, undefined]) {
    expect(() => readOptions<unknown, unknown>(openTransaction, given, 'within')).toThrow(OptionsRefused);
  }
});

/** What a client was asked, that has these statuses one after the other; the last one stays. */
const asked = async (...statuses: readonly string[]) => {
  const sent: unknown[] = [];
  let at = 0;
  const tx = {
    query: async (...given: unknown[]) => {
      sent.push(given);
      return { rows: [] };
    },
    getTransactionStatus: () => statuses[Math.min(at++, statuses.length - 1)],
  };
  await refuseIfNone(tx as never);
  return sent;
};

it('a client in a transaction is asked nothing; one that may just have sent `begin` is waited for', async () => {
  expect(await asked('T')).toEqual([]);
  expect(await asked('E')).toEqual([]);
  expect(await asked('I', 'T')).toEqual([['select 1', []]]);
});

it('a client without a transaction is refused; of another driver nothing is known', async () => {
  const message = 'tx has no open transaction: send `begin` on it first';
  const refused = { name: 'TransactionRefused', code: 'transaction/none', retryable: false, message };
  await expect(asked('I')).rejects.toMatchObject(refused);
  await expect(asked('I')).rejects.toBeInstanceOf(TransactionRefused);
  await expect(refuseIfNone({ query } as never)).resolves.toBeUndefined();
});

it('a transaction in which no calls are noted has none to wait for', async () => {
  await expect(callsEnded({ query } as never)).resolves.toBeUndefined();
});

it('a handler that is stuck has the code of a lost connection', () => {
  expect(new HandlerStuck('too long')).toMatchObject({ name: 'HandlerStuck', code: '25P03', message: 'too long' });
});
