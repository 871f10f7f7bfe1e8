import type { Command } from 'commander';
import { decodeJwt } from 'jose';
import { isPlayerId } from '../../../shared/ids.ts';
import type { OpsAnswers } from '../../../shared/ops/ops-answers.ts';
import { usageFault } from '../console/command-fault.ts';
import type { Context } from '../console/context.ts';
import { instant } from '../console/lines.ts';

interface Which {
  readonly jwt?: string;
  readonly player?: string;
}

/** `kibble revoke`. The token itself stays here: what is sent is its id. */
export const addRevokeCommand = (program: Command, context: Context): void => {
  program
    .command('revoke')
    .description('end a player’s tokens before their time, or one; who is connected with it is let go')
    .option('--jwt <token>', 'one token: itself, or its jti')
    .option('--player <playerId>', 'all tokens of the player that were issued until now')
    .action(async ({ jwt, player }: Which, command: Command) => {
      if ((jwt === undefined) === (player === undefined))
        throw usageFault('revoke needs --jwt or --player, one of them');
      const revoked =
        player === undefined ? await one(context, command, jwt ?? '') : await all(context, command, player);
      const { answer, isDryRun } = revoked;
      context.show(command, revoked, () => [
        `${isDryRun ? 'would be revoked' : 'revoked'}: ${instant(answer.revokedAtMs)}`,
      ]);
    });
};

const all = async (context: Context, command: Command, playerId: string): Promise<OpsAnswers['revokeTokens']> => {
  if (!isPlayerId(playerId)) throw usageFault(`${playerId} is no player id`);
  const write = await context.write(command, `revoke all tokens of ${playerId} that were issued until now`);
  return context.client(command).ask('revokeTokens', { playerId }, write);
};

const one = async (context: Context, command: Command, jwt: string): Promise<OpsAnswers['revokeToken']> => {
  const { tokenId, endsAtMs } = partsOf(jwt);
  const write = await context.write(command, `revoke the token ${tokenId}`);
  const input = { ...write, tokenId, ...(endsAtMs === undefined ? {} : { endsAtMs }) };
  return context.client(command).ask('revokeToken', {}, input);
};

/** Whether it is a good one is not looked at: an id that no token has revokes nothing. */
const partsOf = (jwt: string): { readonly tokenId: string; readonly endsAtMs?: number } => {
  if (jwt.split('.').length !== 3) return { tokenId: jwt };
  const { jti, sub, exp } = claimsOf(jwt);
  if (typeof jti !== 'string') {
    throw usageFault(`this token has no id (jti): revoke all of its player, --player ${sub ?? ''}`);
  }
  return { tokenId: jti, ...(Number.isInteger(exp) ? { endsAtMs: Number(exp) * 1_000 } : {}) };
};

const claimsOf = (jwt: string): ReturnType<typeof decodeJwt> => {
  try {
    return decodeJwt(jwt);
  } catch {
    throw usageFault('--jwt is neither a token nor the id of one');
  }
};
