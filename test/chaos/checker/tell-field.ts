import { CROPS, type FieldEvent } from '../../support/field/field.ts';
import type { ToldEvent } from '../evidence/evidence.ts';
import { isSame, type RetoldBed, type RetoldHome } from './retold-home.ts';
import type { Telling } from './tell-event.ts';

export const isOfField = (event: ToldEvent): event is FieldEvent => event.type.startsWith('field/');

export const growing = (home: RetoldHome): readonly RetoldBed[] =>
  [...home.beds.values()].filter(({ ripeAtMs }) => ripeAtMs !== undefined);

/** Judges one event of the field against the home before it, and changes the home; but for the stock. */
export const tellField = ({ rules: { field }, home, complain }: Telling, event: FieldEvent): undefined => {
  const rest = { growMs: undefined, sownAtMs: undefined, ripeAtMs: undefined };
  const bed: RetoldBed = home.beds.get(event.thing) ?? { bed: event.thing, harvests: 0, ...rest };
  home.beds.set(event.thing, bed);
  const isOrdered = event.commandId !== undefined;
  const takes = (items: Readonly<Record<string, number>>): void => {
    if (!isSame(event.items, items))
      complain(`moves ${JSON.stringify(event.items)} instead of ${JSON.stringify(items)}`);
  };
  switch (event.type) {
    case 'field/sown':
      if (!isOrdered) complain('nobody ordered it');
      if (bed.sownAtMs !== undefined || bed.ripeAtMs !== undefined) complain('the bed is sown already');
      takes({ [field.seed]: -1 });
      bed.sownAtMs = event.at;
      // As it was ordered, whatever the rules say by now.
      bed.growMs = event.growMs;
      return;
    case 'field/sprouted':
      if (isOrdered || bed.sownAtMs === undefined) complain('the bed does not wait');
      if (growing(home).length > 0) complain('another bed grows');
      if (event.ripeAt !== event.at + (bed.growMs ?? 0)) complain(`says it is ripe at ${event.ripeAt}`);
      takes({});
      bed.sownAtMs = undefined;
      bed.growMs = undefined;
      bed.ripeAtMs = event.ripeAt;
      return;
    case 'field/hurried':
      if (!isOrdered || bed.ripeAtMs === undefined) complain('nothing grows that somebody could hurry');
      bed.ripeAtMs = Math.max(event.at, (bed.ripeAtMs ?? 0) - field.hurryMs);
      if (event.ripeAt !== bed.ripeAtMs) complain(`says it is ripe at ${event.ripeAt} instead of ${bed.ripeAtMs}`);
      takes({ [field.hurry]: -1 });
      return;
    case 'field/ripened':
      if (bed.ripeAtMs !== event.at) complain(`is ${event.at - (bed.ripeAtMs ?? 0)} ms off its due time`);
      takes({ [field.crop]: Math.min(Math.max(event.items?.[field.crop] ?? 0, CROPS.least), CROPS.most) });
      bed.ripeAtMs = undefined;
      bed.harvests += 1;
      return;
    default:
      return event satisfies never;
  }
};
