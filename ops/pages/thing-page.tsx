import { ActButtons } from '../acts/act-buttons.tsx';
import { thingActs } from '../acts/acts.ts';
import { pretty } from '../parts/audit-list.tsx';
import { Explanation } from '../parts/explanation.tsx';
import { Panel, Shown } from '../parts/states.tsx';
import { playerHref } from '../session/route.ts';
import { EVERY_MS, useAnswer } from '../session/use-session.ts';
import { thingText } from '../words/event-text.ts';
import { words } from '../words/words.ts';

interface Props {
  readonly playerId: string;
  readonly module: string;
  /** Or one of its runs, which may have ended. */
  readonly thing?: string;
  readonly run?: string;
}

/** A thing, and the explanation of its due time. */
export const ThingPage = ({ playerId, module, thing, run }: Props) => (
  <>
    <p class="crumbs">
      <a href={playerHref(playerId)}>{playerId}</a> <span aria-hidden="true">/</span> {module}{' '}
      <span aria-hidden="true">/</span> <code>{thing ?? run}</code>
    </p>
    <h1>{words().why.title}</h1>
    <Shown of={useAnswer('explainThing', { playerId }, { module, thing, run }, EVERY_MS)}>
      {(explained) => (
        <>
          <Explanation
            of={explained}
            acts={
              <Acts
                {...{ playerId, module, thing: explained.thing }}
                {...(explained.state === 'running' ? { run: explained.run } : {})}
              />
            }
          />
          <State playerId={playerId} module={module} thing={explained.thing} />
        </>
      )}
    </Shown>
  </>
);

const useThing = ({ playerId, module, thing }: Props) => {
  const { answer } = useAnswer('player', { playerId }, {}, EVERY_MS);
  const found = answer?.things.find((one) => one.module === module && one.id === thing);
  return answer && found && { thing: found, nowMs: answer.nowMs, playerId };
};

/** The acts on its run, if there is one, beside the explanation. A dialog outlives the run that it ends. */
const Acts = (props: Props) => {
  const seen = useThing(props);
  const acts = seen && seen.thing.run === props.run ? thingActs(seen) : [];
  return <ActButtons acts={acts} label={words().player.actions} />;
};

/** Its present state from the rows; a removed thing has none. */
const State = (props: Props) => {
  const seen = useThing(props);
  if (!seen) return null;
  const { module, title, id, state } = seen.thing;
  return (
    <Panel title={title ?? id} hint={thingText(module, state, seen.nowMs)}>
      <details class="change">
        <summary>{words().player.state}</summary>
        <pre>{pretty(state)}</pre>
      </details>
    </Panel>
  );
};
