import { isDeepStrictEqual } from 'node:util';
import type { WorksRules } from '../../../shared/works/rules-file.ts';
import { timesBetween } from '../../shared/calendar/minute-oracle.ts';

/**
 * The rules of `works` once more, written in another way: it works millisecond by millisecond and knows no due times. It
 * shares nothing with them but the shape of a file of rules, whose durations are numbers here.
 */
export interface Line {
  readonly what: string;
  readonly at: number;
  readonly items: Readonly<Record<string, number>>;
}

/** A stock counts no further. */
const MOST = 2 ** 53 - 1;

type Bag = Record<string, number>;
type Thing = WorksRules['things'][string];
type Rule = WorksRules['activities'][string];
type Span = readonly [least: number, most: number];
type Timed = Pick<Rule, 'from' | 'until' | 'during'>;

const DAY_MS = 86_400_000;

/** The rules at the time of the order. */
interface Terms {
  readonly rule: Rule;
  readonly share: number;
  readonly length: number;
  readonly price: Bag;
  readonly yield: Bag;
  readonly ranges: Readonly<Record<string, Span>>;
  readonly steps: number;
  /** It is auto, and the rules have ended that. */
  readonly isLast?: boolean;
}

interface Job {
  readonly name: string;
  slot: { readonly name: string; readonly base: number; readonly item?: string | undefined } | undefined;
  terms: Terms;
  /** From its next start on. */
  nextTerms: Terms;
  phase: 'line' | 'busy' | 'ripe';
  since: number;
  left: number;
  isPaid: boolean;
  chain: { readonly card: string; readonly of: number; unused: number }[];
}

interface Site {
  readonly module: string;
  readonly id: string;
  readonly name: string;
  level: number;
  rate: number;
  fastUntil: number;
  job: Job | undefined;
  /** What was yielded and not fetched, one after the other. */
  store: { readonly yield: Bag; readonly steps: number }[];
}

/** A command with the ids that it names; `newId` for what it places. */
export interface OracleCommand {
  readonly type: string;
  readonly module: 'town' | 'farm';
  readonly newId: string;
  readonly thing?: string;
  readonly activity?: string;
  readonly card?: string;
  readonly count?: number;
  readonly maxCount?: number;
  readonly maxWastedMs?: number;
  readonly slot?: string;
  readonly things?: readonly string[];
  readonly items?: Bag;
}

const at = <Value>(value: Value | readonly Value[] | undefined, level: number): Value | undefined =>
  Array.isArray(value) ? value[level] : (value as Value | undefined);

type RulesByModule = Readonly<Record<OracleCommand['module'], WorksRules>>;

/** The drawn items of an end, from the log. */
export interface Drawn {
  readonly items: Bag;
  readonly prize?: number;
}

export class WorksOracle {
  readonly lines: Line[] = [];
  /** By module, table and its prizes with an `atLatest`: how many draws went by without. */
  readonly #missed = new Map<string, number>();
  readonly #tables = new Map<string, Set<string>>();
  readonly #draws: Drawn[];
  /** How many ends left something to chance. */
  drawn = 0;
  readonly stock: Bag;
  sites: Site[] = [];
  readonly #used = new Map<string, { readonly count: number; readonly end?: number }>();
  #now: number;

  /** `draws`: of the log, in its order. */
  constructor(stock: Bag, startAt: number, draws: readonly Drawn[] = []) {
    this.stock = { ...stock };
    this.#draws = [...draws];
    this.#now = startAt;
  }

  waitUntil(until: number): void {
    while (this.#now < until) {
      for (const site of this.sites) {
        if (site.job?.phase === 'busy') site.job.left -= this.#now < site.fastUntil ? site.rate : 1;
      }
      this.#now++;
      this.#endWhatIsOver();
    }
  }

  /** Whether the command was accepted. Undefined: one of another module was. */
  play(rules: RulesByModule, command: OracleCommand | undefined): boolean {
    const isAccepted = command === undefined || this.#act(rules[command.module], command);
    if (isAccepted) {
      this.#renew(rules);
      // A thing that the command lets begin begins after all ends of that instant.
      this.#endWhatIsOver(this.sites.filter((site) => site.job?.phase === 'line' && this.#canBegin(site)));
      this.#wake();
    }
    return isAccepted;
  }

  #act(rules: WorksRules, command: OracleCommand): boolean {
    if (command.type === 'give') {
      if (!this.#fits(command.items ?? {})) return false;
      this.#move(command.items ?? {}, 1);
      return true;
    }
    if (command.type === 'rob') {
      if (!this.#has(command.items ?? {})) return false;
      this.#move(command.items ?? {}, -1);
      return true;
    }
    if (command.type === 'place') return this.#place(rules, command);
    if (command.type === 'reorder') return this.#reorder(command);
    const site = this.sites.find(({ module, id }) => module === command.module && id === command.thing);
    if (!site) return false;
    switch (command.type) {
      case 'start': {
        const rule = own(rules.activities, command.activity ?? '');
        if (!rule?.on.includes(site.name) || !this.#isOpen(rules, rule)) return false;
        const name = command.activity ?? '';
        const isOrdered = (): boolean =>
          rule.workMs === undefined ? this.#atOnce(site, rule) : !site.job && this.#order(rules, site, name, rule);
        return this.#isLeft(site, name, rule) && isOrdered() && this.#use(site, name, rule);
      }
      case 'use-card':
        return this.#card(rules, command, site);
      case 'cancel':
        return this.#cancel(site);
      case 'collect': {
        const { job } = site;
        return job ? this.#fetch(site, job) : false;
      }
      case 'remove':
        if (site.job) return false;
        this.#write('removed', site);
        this.sites = this.sites.filter((one) => one !== site);
        return true;
      default:
        throw new Error(command.type);
    }
  }

  #place(rules: WorksRules, { module, thing = '', newId }: OracleCommand): boolean {
    const kind = own(rules.things, thing);
    const same = this.sites.filter((one) => one.module === module && one.name === thing);
    if (!kind || same.length >= this.#most(module, kind.limit ?? 100) || !this.#isOpen(rules, kind)) return false;
    const prices = [kind.takes ?? {}].flat();
    const price = prices[same.length] ?? prices.at(-1) ?? {};
    if (!this.#has(price)) return false;
    const sizes = typeof kind.limit === 'object' ? Object.values(kind.limit).flat() : [kind.limit];
    const site: Site = {
      ...{ module, id: sizes.every((size) => size === 0 || size === 1) ? thing : newId, name: thing },
      ...{ level: 0, rate: 1, fastUntil: 0, job: undefined, store: [] },
    };
    const auto = Object.entries(rules.activities).find(([, rule]) => rule.auto && rule.on.includes(thing));
    if (auto && !this.#meets(site, auto[1])) return false;
    this.sites.push(site);
    this.#write('placed', site, negative(price));
    if (auto) this.#order(rules, site, auto[0], auto[1]);
    return true;
  }

  /** The list of another thing's level, read from its end down to what has been reached. */
  #most(module: string, limit: Thing['limit']): number {
    if (typeof limit !== 'object') return limit ?? 100;
    const [[name, list] = ['', []]] = Object.entries(limit);
    const levels = this.sites.filter((one) => one.module === module && one.name === name).map(({ level }) => level);
    for (let level = list.length - 1; level > 0; level--)
      if (levels.some((own) => own >= level)) return list[level] ?? 0;
    return list[0] ?? 0;
  }

  /** Whether one of its openings has come and is not over. */
  #isOpen({ windows = {} }: WorksRules, own: Timed): boolean {
    const during = typeof own.during === 'string' ? windows[own.during] : own.during;
    for (const { from, until } of [own, during ?? {}]) {
      if (from !== undefined && this.#now < Date.parse(from)) return false;
      if (until !== undefined && this.#now >= Date.parse(until)) return false;
    }
    if (during?.cron === undefined) return true;
    const openings = openingsAbout(during.cron, during.timeZone ?? '', Math.floor(this.#now / DAY_MS));
    return openings.some((openMs) => openMs <= this.#now && this.#now < openMs + Number(during.lasts));
  }

  /** What counts now of an activity: a count without an end says nothing of a period, and one that is over says nothing. */
  #usedOf({ module }: Site, name: string, { atMost }: Rule): { readonly count: number; readonly end?: number } {
    const used = this.#used.get(`${module} ${name}`);
    if (!used || (used.end === undefined ? atMost?.per !== undefined : used.end <= this.#now)) return { count: 0 };
    return used;
  }

  #isLeft = (site: Site, name: string, rule: Rule): boolean =>
    rule.atMost === undefined || this.#usedOf(site, name, rule).count < rule.atMost.times;

  #use(site: Site, name: string, rule: Rule): true {
    if (rule.atMost === undefined) return true;
    const { count, end } = this.#usedOf(site, name, rule);
    const { cron = '', timeZone = '' } = rule.atMost.per ?? {};
    const openings = cron === '' ? [] : openingsAbout(cron, timeZone, Math.floor(this.#now / DAY_MS));
    const until = count === 0 ? openings.find((openMs) => openMs > this.#now) : end;
    this.#used.set(`${site.module} ${name}`, { count: count + 1, ...(until !== undefined && { end: until }) });
    return true;
  }

  #meets({ module, level: own }: Site, rule: Rule): boolean {
    const wanted = at<Readonly<Record<string, unknown>>>(rule.needs ?? {}, own);
    return Object.entries(wanted ?? { none: 1 }).every(([name, much]) =>
      typeof much === 'object'
        ? this.#has(much as Bag)
        : this.sites.some((one) => one.module === module && one.name === name && one.level >= Number(much)),
    );
  }

  #order(rules: WorksRules, site: Site, name: string, rule: Rule): boolean {
    const terms = this.#meets(site, rule) ? termsOf(rules, site, rule) : undefined;
    if (!terms) return false;
    const { price } = terms;
    const slotRule = rule.slot === undefined ? undefined : own(rules.slots ?? {}, rule.slot);
    const isPaid = !rule.auto && (!slotRule || rules.queueTakes !== 'start');
    const job: Job = {
      ...{ name, terms, nextTerms: terms },
      slot: rule.slot === undefined || !slotRule ? undefined : { name: rule.slot, ...slotRule },
      ...{ phase: 'line', since: 0, left: 0, isPaid, chain: [] },
    };
    if (isPaid && !this.#has(price)) return false;
    const canStart = this.#hasSlot(site, job) && (isPaid || this.#has(price));
    if (job.slot && !canStart && this.#line(site.module, job.slot.name).length >= (slotRule?.queue ?? 0)) return false;
    this.#queueUp(site, job);
    this.#write('ordered', site, isPaid ? negative(price) : {});
    return true;
  }

  /** An auto order goes on by the present rules, from its next start on, or ends for good; one in a line has a larger slot at once. */
  #renew(rules: RulesByModule): void {
    for (const module of ['farm', 'town'] as const) {
      for (const site of this.sites.filter((one) => one.module === module)) {
        const { job } = site;
        const slot = job?.slot && own(rules[module].slots ?? {}, job.slot.name);
        const isLarger = job?.slot && slot && this.#sizeOf(slot) > this.#sizeOf(job.slot);
        if (job?.phase === 'line' && !job.terms.rule.auto && isLarger) {
          job.slot = { name: job.slot?.name ?? '', ...slot };
          this.#write('renewed', site);
        }
        if (!job?.terms.rule.auto) continue;
        const rule = own(rules[module].activities, job.name);
        const isKnown = rule?.auto && rule.on.includes(site.name);
        const terms = isKnown ? termsOf(rules[module], site, rule) : { ...job.nextTerms, isLast: true };
        if (!terms || isDeepStrictEqual(said(job.nextTerms), said(terms))) continue;
        job.nextTerms = terms;
        if (job.phase === 'line') job.terms = terms;
        this.#write('renewed', site);
      }
    }
  }

  /** It is over before anything else can be. */
  #atOnce(site: Site, rule: Rule): boolean {
    if ((rule.consumes && site.job) || !this.#meets(site, rule)) return false;
    const price = at<Bag>(rule.takes ?? {}, site.level);
    const yielded = at<Gives>(rule.gives ?? {}, site.level);
    if (!price || !yielded || !this.#has(price)) return false;
    const moved = sureOf(yielded);
    for (const [item, count] of Object.entries(price)) moved[item] = (moved[item] ?? 0) - count;
    const { level: steps = 0, ...items } = moved;
    if (!this.#fits(items)) return false;
    this.#write('done', site, items);
    site.level += steps;
    if (rule.consumes) this.sites = this.sites.filter((one) => one !== site);
    return true;
  }

  #queueUp(site: Site, job: Job): void {
    const others = job.slot ? this.#line(site.module, job.slot.name) : [];
    job.since = Math.max(this.#now, ...others.map((other) => (other.job?.since ?? 0) + 1));
    job.phase = 'line';
    site.job = job;
  }

  #line(module: string, slot: string): Site[] {
    return this.sites.filter(
      (site) => site.module === module && site.job?.phase === 'line' && site.job.slot?.name === slot,
    );
  }

  #sizeOf({ base, item }: { readonly base: number; readonly item?: string | undefined }): number {
    return base + (item === undefined ? 0 : (this.stock[item] ?? 0));
  }

  #hasSlot(site: Site, { slot }: Job): boolean {
    if (!slot) return true;
    const isHolding = ({ module, job }: Site) =>
      module === site.module && job?.phase === 'busy' && job.slot?.name === slot.name;
    return this.sites.filter(isHolding).length < this.#sizeOf(slot);
  }

  #canBegin = (site: Site): boolean => {
    const { job } = site;
    const caps = Object.entries(job?.terms.rule.below ?? {});
    if (!job || caps.some(([item, cap]) => (this.stock[item] ?? 0) >= cap)) return false;
    return this.#hasSlot(site, job) && this.#pays(job);
  };

  #wake(aside: readonly Site[] = []): void {
    for (;;) {
      const line = this.sites.filter((site) => site.job?.phase === 'line' && !aside.includes(site));
      line.sort((a, b) => (a.job?.since ?? 0) - (b.job?.since ?? 0) || byName(a, b));
      const next = line.find(this.#canBegin);
      if (!next?.job) return;
      this.#begin(next, next.job);
    }
  }

  #pays = (job: Job): boolean => job.isPaid || this.#has(job.terms.price);

  #begin(site: Site, job: Job): void {
    const [first] = job.chain;
    if (first) first.unused--;
    job.chain = job.chain.filter(({ unused }) => unused > 0);
    job.phase = 'busy';
    job.left = job.terms.length;
    this.#write('started', site, job.isPaid ? {} : negative(job.terms.price));
    job.isPaid = true;
  }

  #endWhatIsOver(aside: readonly Site[] = []): void {
    for (let others = aside; ; others = others.filter(this.#canBegin)) {
      const over = this.sites.filter(({ job }) => job?.phase === 'busy' && job.left <= 0).sort(byName);
      const [site] = over;
      if (!site?.job) return;
      const { job } = site;
      const all = { ...this.#luckOf(site, job.terms) };
      if (job.terms.rule.collect) {
        site.store.push({ yield: all, steps: job.terms.steps });
        job.phase = 'ripe';
        this.#write('finished', site);
        if (goesOn(job.nextTerms) && site.store.length < (job.terms.rule.holds ?? 1)) this.#again(site, job);
      } else {
        // Its thing goes, and takes nothing along that was not fetched.
        for (const { yield: kept } of job.terms.rule.consumes ? site.store : []) addTo(all, kept);
        const room = (item: string): number => MOST - (this.stock[item] ?? 0);
        const gained = Object.entries(all).map(([item, count]) => [item, Math.min(count, room(item))]);
        this.#write('finished', site, Object.fromEntries(gained));
        this.#over(site, job);
      }
      this.#wake(others);
    }
  }

  /** All that an end gives. Throws where chance gave what it could not. */
  #luckOf({ module }: Site, { rule, ranges, yield: sure }: Terms): Bag {
    const { oneOf } = rule;
    if (!oneOf && Object.keys(ranges).length === 0) return sure;
    const drawn = this.#draws.shift();
    if (!drawn) throw new Error('nothing was drawn');
    this.drawn++;
    const prize = oneOf?.of[drawn.prize ?? -1];
    if ((prize === undefined) !== (oneOf === undefined)) throw new Error(`no such prize: ${drawn.prize}`);
    if (oneOf && prize) this.#holdInTime(module, oneOf, prize);
    const all = { ...drawn.items };
    for (const [item, count] of Object.entries(prize ? sureOf(prize.gives) : {})) all[item] = (all[item] ?? 0) - count;
    const spans = [ranges, prize ? rangesOf(prize.gives) : {}];
    for (const item of new Set([...Object.keys(all), ...spans.flatMap(Object.keys)])) {
      const [least, most] = [0, 1].map((end) => spans.reduce((sum, span) => sum + (span[item]?.[end] ?? 0), 0));
      const count = all[item] ?? 0;
      if (drawn.items[item] === MOST) continue;
      if (count < (least ?? 0) || count > (most ?? 0)) throw new Error(`${count} ${item} were drawn`);
    }
    const given = { ...sure };
    for (const [item, count] of Object.entries(drawn.items)) given[item] = Math.min(MOST, (given[item] ?? 0) + count);
    return given;
  }

  /**
   * What has an `atLatest` never comes later, as long as the table stays. Under a changed one of the same name it may be too late
   * for two at once: then the one that waits longest comes first.
   */
  #holdInTime(module: string, { name, of }: NonNullable<Rule['oneOf']>, drawn: { readonly weight: number }): void {
    const key = `${module} ${name}`;
    const known = this.#tables.get(key) ?? new Set();
    this.#tables.set(key, known.add(JSON.stringify(of)));
    const owed = of.flatMap((one) => {
      const { atLatest } = one;
      return atLatest === undefined ? [] : [{ one, atLatest, key: '' }];
    });
    for (const [place, each] of owed.entries()) each.key = `${key} ${place}`;
    const leftOf = ({ key, atLatest }: (typeof owed)[number]) => atLatest - (this.#missed.get(key) ?? 0);
    const came = owed.find(({ one }) => one === drawn);
    if (!came && drawn.weight === 0) throw new Error('a prize of weight 0 was drawn');
    for (const each of owed) {
      if (each === came || leftOf(each) > 1) continue;
      if (known.size === 1 || !came || leftOf(came) > leftOf(each)) throw new Error(`${each.key} is late`);
    }
    for (const each of owed) this.#missed.set(each.key, each === came ? 0 : (this.#missed.get(each.key) ?? 0) + 1);
  }

  #again(site: Site, job: Job): void {
    job.isPaid = false;
    job.terms = job.nextTerms;
    this.#queueUp(site, job);
  }

  #fetch(site: Site, job: Job): boolean {
    if (site.store.length === 0) return false;
    const all: Bag = {};
    for (const one of site.store) {
      for (const [item, count] of Object.entries(one.yield)) all[item] = Math.min(MOST, (all[item] ?? 0) + count);
    }
    if (!this.#fits(all)) return false;
    for (const one of site.store) site.level += one.steps;
    site.store = [];
    this.#write('collected', site, all);
    if (job.phase !== 'ripe') return true;
    site.job = undefined;
    if (job.terms.rule.consumes) this.sites = this.sites.filter((one) => one !== site);
    else if (goesOn(job.nextTerms)) this.#again(site, job);
    return true;
  }

  /** It has given what it gives. */
  #over(site: Site, job: Job): void {
    if (job.terms.rule.consumes) {
      this.sites = this.sites.filter((one) => one !== site);
      return;
    }
    site.level += job.terms.steps;
    site.job = undefined;
    if (!goesOn(job.nextTerms) && job.chain.length === 0) return;
    this.#again(site, job);
    if (!job.terms.rule.auto && this.#has(job.terms.price)) this.#begin(site, job);
  }

  #card(rules: WorksRules, command: OracleCommand, site: Site): boolean {
    const card = own(rules.cards ?? {}, command.card ?? '');
    const { job } = site;
    if (!card || job?.phase !== 'busy' || !this.#isOpen(rules, card)) return false;
    const isFinish = card.effect === 'finish';
    if (isFinish ? command.count !== undefined : command.maxCount !== undefined) return false;
    if (card.effect !== 'cut' && command.maxWastedMs !== undefined) return false;
    let count = command.count ?? 1;
    if (card.effect === 'finish') {
      let end = this.#now;
      for (let left = job.left; left > 0; end++) left -= end < site.fastUntil ? site.rate : 1;
      for (count = 1; count * Number(card.msEach) < end - this.#now; ) count++;
      if (count > (command.maxCount ?? count)) return false;
    }
    if (!this.#has({ [command.card ?? '']: count })) return false;
    if (card.effect === 'finish') job.left = 0;
    if (card.effect === 'cut') {
      const surplus = Math.max(0, Number(card.workMs) * count - job.left);
      if (surplus > (command.maxWastedMs ?? surplus)) return false;
      job.left = Math.max(0, job.left - Number(card.workMs) * count);
    }
    if (card.effect === 'rate') {
      const isFast = this.#now < site.fastUntil;
      if (isFast && site.rate !== card.rate) return false;
      site.rate = card.rate;
      site.fastUntil = (isFast ? site.fastUntil : this.#now) + Number(card.lastsMs) * count;
    }
    if (card.effect === 'repeat') {
      const { rule } = job.terms;
      const isListed = [rule.workMs, rule.takes, rule.gives].some(Array.isArray);
      const isTimed = rule.from ?? rule.until ?? rule.during;
      if (isListed || isTimed !== undefined || rule.collect || rule.consumes || rule.auto || rule.atMost) return false;
      for (let one = 0; one < count; one++) {
        job.chain.push({ card: command.card ?? '', of: card.times, unused: card.times });
      }
    }
    this.#write('card-used', site, { [command.card ?? '']: -count });
    return true;
  }

  #cancel(site: Site): boolean {
    const { job } = site;
    if (!job || site.store.length > 0) return false;
    const back: Bag = {};
    for (const [item, count] of Object.entries(job.terms.price)) {
      // In hundredths: a share has no more decimals here.
      if (job.phase === 'busy') back[item] = Number((BigInt(count) * BigInt(Math.round(job.terms.share * 100))) / 100n);
      else if (job.isPaid) back[item] = count;
    }
    for (const { card, of, unused } of job.chain) if (unused === of) back[card] = (back[card] ?? 0) + 1;
    if (!this.#fits(back)) return false;
    site.job = undefined;
    this.#write('cancelled', site, back);
    return true;
  }

  #reorder({ module, slot = '', things = [] }: OracleCommand): boolean {
    const line = this.#line(module, slot);
    const ids = line.map(({ id }) => id).sort();
    if (line.length === 0 || [...things].sort().join() !== ids.join()) return false;
    const times = line.map(({ job }) => job?.since ?? 0).sort((a, b) => a - b);
    for (const [place, thing] of things.entries()) {
      const site = line.find(({ id }) => id === thing);
      if (site?.job) site.job.since = times[place] ?? 0;
      if (site) this.#write('reordered', site);
    }
    return true;
  }

  /** The sum would have to be a whole double. */
  #fits = (items: Bag): boolean =>
    Object.entries(items).every(([item, count]) => count <= 0 || (this.stock[item] ?? 0) <= MOST - count);

  #has = (items: Bag): boolean => Object.entries(items).every(([item, count]) => (this.stock[item] ?? 0) >= count);

  #move(items: Bag, sign: number): void {
    for (const [item, count] of Object.entries(items)) this.stock[item] = (this.stock[item] ?? 0) + sign * count;
  }

  #write(what: string, { module, id }: Site, items: Bag = {}): void {
    this.#move(items, 1);
    const moved = Object.fromEntries(Object.entries(items).filter(([, count]) => count !== 0));
    this.lines.push({ what: `${module}/${what} ${id}`, at: this.#now, items: moved });
  }
}

/** An order's numbers at the site's level; undefined: the lists end before. */
const termsOf = (rules: WorksRules, { level }: Site, rule: Rule): Terms | undefined => {
  const length = at(rule.workMs, level);
  const price = at<Bag>(rule.takes ?? {}, level);
  const all = at<Gives>(rule.gives ?? {}, level);
  if (length === undefined || !price || !all) return undefined;
  const { level: steps = 0, ...gain } = sureOf(all);
  const share = rules.cancelGivesBack ?? 0;
  return { rule, share, length: Number(length), price, yield: gain, ranges: rangesOf(all), steps };
};

const goesOn = ({ rule, isLast }: Terms): boolean => rule.auto === true && !isLast;

/** What of terms makes a difference to what is auto. */
const said = ({ rule, price, yield: gain, ...numbers }: Terms) => [
  ...[numbers, some(price), some(gain), rule.below ?? {}],
  ...[rule.collect ?? false, rule.holds ?? 1, rule.consumes ?? false],
  [
    rule.oneOf?.name,
    rule.oneOf?.of.map(({ weight, atLatest, gives }) => [weight, atLatest, some(sureOf(gives)), rangesOf(gives)]),
  ],
];

const addTo = (all: Bag, more: Bag): void => {
  for (const [item, count] of Object.entries(more)) all[item] = (all[item] ?? 0) + count;
};

const some = (items: Bag): Bag => Object.fromEntries(Object.entries(items).filter(([, count]) => count !== 0));

const own = <Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

/** Of a day of UTC and those beside it, by the wall read minute by minute. */
const openingsAbout = (expression: string, timeZone: string, day: number): readonly number[] => {
  const key = `${expression} ${timeZone} ${day}`;
  const openings = read.get(key) ?? timesBetween({ expression, timeZone }, (day - 1) * DAY_MS, (day + 2) * DAY_MS);
  read.set(key, openings);
  return openings;
};

const read = new Map<string, readonly number[]>();

type Gives = Exclude<NonNullable<Rule['gives']>, readonly unknown[]>;

/** Everything except chance. */
const sureOf = (gives: Gives): Bag =>
  Object.fromEntries(Object.entries(gives).flatMap(([item, one]) => (typeof one === 'number' ? [[item, one]] : [])));
const rangesOf = (gives: Gives): Readonly<Record<string, Span>> =>
  Object.fromEntries(Object.entries(gives).flatMap(([item, one]) => (typeof one === 'object' ? [[item, one]] : [])));

const negative = (items: Bag): Bag =>
  Object.fromEntries(Object.entries(items).map(([item, count]) => [item, 0 - count]));

const byName = (a: Site, b: Site): number =>
  a.module === b.module ? (a.id < b.id ? -1 : 1) : a.module < b.module ? -1 : 1;
