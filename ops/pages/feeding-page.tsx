import { ownerOf } from '../../shared/ids.ts';
import { ActButtons } from '../acts/act-buttons.tsx';
import { feedingActs } from '../acts/player-acts.ts';
import { Explanation } from '../parts/explanation.tsx';
import { Shown } from '../parts/states.tsx';
import { playerHref } from '../session/route.ts';
import { useAnswer } from '../session/use-session.ts';
import { words } from '../words/words.ts';

const EVERY_MS = 5000;

/** Why a feeding is due when it is. */
export const FeedingPage = ({ feedingId }: { readonly feedingId: string }) => {
  const playerId = ownerOf(feedingId);
  const explained = useAnswer('explainFeeding', { feedingId }, {}, EVERY_MS);
  return (
    <>
      <Crumbs playerId={playerId} id={feedingId} />
      <h1>{words().why.title}</h1>
      <Shown of={explained}>
        {(explanation) => (
          <Explanation
            of={explanation}
            acts={explanation.state === 'running' ? <Acts playerId={playerId} feedingId={feedingId} /> : undefined}
          />
        )}
      </Shown>
    </>
  );
};

/** What can be done about it, where one reads why. */
const Acts = ({ playerId, feedingId }: { readonly playerId: string; readonly feedingId: string }) => {
  const { answer } = useAnswer('player', { playerId });
  const pet = answer?.pets.find(({ feeding }) => feeding?.feedingId === feedingId);
  return pet && answer ? (
    <ActButtons acts={feedingActs(playerId, pet, answer.nowMs)} label={words().player.actions} />
  ) : null;
};

export const Crumbs = ({ playerId, id }: { readonly playerId: string; readonly id: string }) => (
  <p class="crumbs">
    <a href={playerHref(playerId)}>{playerId}</a> <span aria-hidden="true">/</span> <code>{id}</code>
  </p>
);
