import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { CommandRefused } from '../../follow/follow-home.ts';
import { ItemArt } from '../../look/art/item-art.tsx';
import { Dialog } from '../../look/dialog.tsx';
import { Icon } from '../../look/icons.tsx';
import type { TownThing } from '../game/modules.ts';
import type { TownRules } from '../game/town.ts';
import { useAskTurn, useGame, useWords } from '../game/use-game.ts';
import { type CardQuote, quoteOf } from './card-quote.ts';

export interface PlayedCard {
  readonly thing: string;
  readonly card: string;
  /** The run that the card is for. */
  readonly run: string;
}

interface DialogProps {
  readonly played: PlayedCard;
  readonly rules: TownRules;
  readonly onClose: () => void;
}

/** A waste above this share of a card is refused, unless the player has seen it. */
const WASTE = 1 / 4;

/** A card's effect on the running order, from the server's quote: its price, the new end, the waste. */
export const WorkCardDialog = ({ played, rules, onClose }: DialogProps) => {
  const game = useGame();
  const { words, formats } = useWords();
  const thing = game.home.value?.things.town?.[played.thing];
  const facts = rules.cards[played.card];
  const answer = useAnswer(thing, played);
  if (!facts) return null;
  const { effect } = facts;
  const title = words.card.title({ card: formats.item(played.card), name: game.thingName(played.thing) });
  const art = <ItemArt item={played.card} effect={effect === 'finish' ? undefined : effect} />;
  const task = thing?.state.task;
  if (!thing || task?.state !== 'runs' || task.run !== played.run) {
    return (
      <Dialog title={title} onClose={onClose} art={art}>
        <Note>{words.town.card.over}</Note>
        <Actions onClose={onClose} />
      </Dialog>
    );
  }
  const { quote, refusal } = answer;
  const use = (): void => {
    if (!quote) return;
    const accepted = facts.effect === 'cut' ? Math.floor(facts.workMs * WASTE) : 0;
    const most = {
      ...(effect === 'finish' && { maxCount: quote.count }),
      ...(effect === 'cut' && { maxWastedMs: accepted + (quote.wastedMs > accepted ? quote.wastedMs : 0) }),
    };
    game.playCard(thing, played.card, { run: played.run, ...most });
    onClose();
  };
  const price = formats.items({ [played.card]: quote?.count ?? 1 });
  return (
    <Dialog title={title} onClose={onClose} art={art}>
      {quote ? <Preview thing={thing} quote={quote} card={played.card} isFinish={effect === 'finish'} /> : undefined}
      {quote || refusal !== undefined ? undefined : <p class="preview-soft">{words.town.card.asking}</p>}
      {refusal === undefined ? undefined : <Note>{refusal}</Note>}
      <Actions onClose={onClose} isDisabled={!quote} onUse={use}>
        {effect === 'finish' && quote ? words.town.card.pay({ price }) : words.card.use({ count: 1 })}
      </Actions>
    </Dialog>
  );
};

/** The server's newest quote or refusal; neither before the reply. */
const useAnswer = (thing: TownThing | undefined, { card, run }: PlayedCard) => {
  const game = useGame();
  const { words } = useWords();
  const answer = useSignal<{ readonly quote?: CardQuote; readonly refusal?: string }>({});
  const turn = useAskTurn();
  useEffect(() => {
    let isCurrent = true;
    if (!thing) return undefined;
    game.quoteWorkCard(thing, card, run).then(
      (reply) => {
        const quote = reply && quoteOf(reply);
        if (isCurrent && quote) answer.value = { quote };
      },
      (error: unknown) => {
        if (!isCurrent || !(error instanceof CommandRefused)) return;
        const { code, params } = error.rejection;
        answer.value = { refusal: words.refusals[code]?.(params) ?? words.news.unanswered };
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [run, card, thing?.dueAt, turn]);
  return answer.value;
};

interface PreviewProps {
  readonly thing: TownThing;
  readonly quote: CardQuote;
  readonly card: string;
  readonly isFinish: boolean;
}

const Preview = ({ thing, quote, card, isFinish }: PreviewProps) => {
  const game = useGame();
  const { words, formats } = useWords();
  const nowMs = game.nowMs();
  const soonerMs = thing.dueAt - quote.dueAt;
  const { boost } = quote;
  return (
    <>
      <dl class="preview">
        <div class="preview-side">
          <dt>{words.card.before}</dt>
          <dd>{formats.clock(thing.dueAt, nowMs)}</dd>
        </div>
        <Icon name="clock" size={22} />
        <div class="preview-side preview-after">
          <dt>{words.card.after}</dt>
          <dd>{quote.isDone ? words.card.ends : formats.clock(quote.dueAt, nowMs)}</dd>
        </div>
      </dl>
      <p class="preview-words">
        {isFinish
          ? words.town.card.price({
              price: formats.items({ [card]: quote.count }),
              have: game.home.value?.items[card] ?? 0,
            })
          : undefined}
        {!isFinish && soonerMs > 0 ? words.card.sooner({ by: formats.duration(soonerMs) }) : undefined}{' '}
        {quote.isDone ? words.town.card.endsHint : undefined}
        {boost ? words.town.card.rate({ rate: boost.rate, at: formats.clock(boost.endsAtMs, nowMs) }) : undefined}
      </p>
      {quote.wastedMs > 0 ? (
        <p class="note note-warning">
          <Icon name="warning" size={20} />
          {words.town.card.wasted({ wasted: formats.duration(quote.wastedMs) })}
        </p>
      ) : undefined}
    </>
  );
};

const Note = ({ children }: { readonly children: ComponentChildren }) => (
  <p class="note note-no">
    <Icon name="warning" size={20} />
    {children}
  </p>
);

interface ActionsProps {
  readonly onClose: () => void;
  readonly onUse?: () => void;
  readonly isDisabled?: boolean;
  readonly children?: ComponentChildren;
}

const Actions = ({ onClose, onUse, isDisabled = false, children }: ActionsProps) => {
  const { words } = useWords();
  return (
    <div class="dialog-actions">
      <button type="button" class={onUse ? 'button button-quiet' : 'button button-main'} onClick={onClose}>
        {onUse ? words.cancel : words.close}
      </button>
      {onUse ? (
        <button type="button" class="button button-main" aria-disabled={isDisabled} onClick={onUse}>
          {children}
        </button>
      ) : undefined}
    </div>
  );
};
