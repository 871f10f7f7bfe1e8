import { expect, it } from 'vitest';
import { luaMutants } from './lua-mutants.ts';

const script = `--[[ KEYS[1] is 1 < 2
Returns 3 == 3. ]]
-- Nothing in here is 4 < 5.
if not before or 1 < count then return 0 end
redis.call('ZADD', KEYS[1], 'a < 7', count + ARGV[2])
return count`;

it('changes operators, constants, calls and guards, one at a time, and no comment, key or string', () => {
  const guard = 'if not before or 1 < count then return 0 end';
  const call = "redis.call('ZADD', KEYS[1], 'a < 7', count + ARGV[2])";
  expect(luaMutants(script).map(({ line, mutator, is }) => [line, mutator, is])).toEqual([
    [4, 'comparison', guard.replace('<', '<=')],
    [4, 'logic', guard.replace(' or ', ' and ')],
    [4, 'negation', guard.replace('not ', '')],
    [4, 'constant', guard.replace('1', '2')],
    [4, 'constant', guard.replace('1', '0')],
    [4, 'constant', guard.replace('0', '1')],
    [4, 'constant', guard.replace('0', '-1')],
    [4, 'dropped guard', ''],
    [5, 'arithmetic', call.replace('+', '-')],
    [5, 'constant', call.replace('2', '3')],
    [5, 'constant', call.replace('2', '1')],
    [5, 'dropped call', ''],
  ]);
});

it('leaves the rest of the script as it is', () => {
  for (const { line, text, is } of luaMutants(script)) {
    const lines = script.split('\n');
    expect(text).toBe(lines.with(line - 1, is).join('\n'));
  }
});
