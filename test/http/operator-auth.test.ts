import { expect, it } from 'vitest';
import { operatorAuth } from '../../server/http/operator-auth.ts';

const operatorOf = operatorAuth([
  { name: 'ann', role: 'admin', token: 'Zx81kQmW4vTn7LrB2yHcD5sJ' },
  { name: 'bob', role: 'viewer', token: 'pQ3mN8sVb6KjHf2LdRx9TzWc' },
]);

it.each([
  ['Bearer Zx81kQmW4vTn7LrB2yHcD5sJ', { name: 'ann', role: 'admin' }],
  ['bearer  pQ3mN8sVb6KjHf2LdRx9TzWc', { name: 'bob', role: 'viewer' }],
])('knows an operator by the token in %s', (header, operator) => {
  expect(operatorOf(header)).toEqual(operator);
});

it.each([
  undefined,
  '',
  'Bearer ',
  'Zx81kQmW4vTn7LrB2yHcD5sJ',
  'Basic Zx81kQmW4vTn7LrB2yHcD5sJ',
  'Bearer Zx81kQmW4vTn7LrB2yHcD5s',
  'Bearer Zx81kQmW4vTn7LrB2yHcD5sJJ',
  'Bearer Zx81kQmW4vTn7LrB2yHcD5sJ pQ3mN8sVb6KjHf2LdRx9TzWc',
])('lets nobody in with %s', (header) => {
  expect(operatorOf(header)).toBeUndefined();
});

it('lets nobody in where there are no operators', () => {
  expect(operatorAuth([])('Bearer undefined')).toBeUndefined();
});
