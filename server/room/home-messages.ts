import type { Client, MessageContext } from '@colyseus/core';
import type { AnyModules, KeyOfEach, MessagesOfEach, ValueOfEach } from '../../shared/module/payloads-of.ts';
import type { Pets } from '../../shared/pets/pets.ts';
import type {
  CommandMessage,
  Reply as PetsReply,
  PlayerCommandType,
  QuoteReply,
  SyncReply,
} from '../../shared/pets/protocol.ts';
import {
  commandId,
  invalid,
  type QuoteMessage,
  type Reply,
  reject,
  type SyncMessage,
  syncMessage,
  type TimeReply,
  timeMessage,
} from '../../shared/protocol.ts';
import type { Modules } from '../domain/modules.ts';
import { readCommand, readQuoted } from '../domain/read-command.ts';
import { rejectionOf } from '../home/model/faults.ts';
import type { Homes } from '../home/model/homes.ts';
import type { RateLimit } from '../http/rate-limit.ts';
import { limits } from '../settings/config.ts';
import { type Answered, ClientAnswer, type ClientReply } from './session/answer.ts';
import type { Session } from './session/session.ts';
import type { OnFault } from './session/sessions.ts';

export interface MessagesOptions {
  readonly modules: Modules;
  readonly homes: Homes;
  /** Undefined for a client without a home here. */
  readonly sessionOf: (client: Client) => Session | undefined;
  /** By player. Undefined: no limit. */
  readonly rate?: RateLimit | undefined;
  readonly onFault: OnFault;
}

/** Handles a client's message. */
export type HomeHandler<Message, Value extends object> = (
  client: Client,
  message: Message,
  context: MessageContext,
) => Answered<Value>;

/** By message name. A client's SDK derives from these types what it may send and receives. */
export type HomeHandlers = {
  readonly [Type in PlayerCommandType]: HomeHandler<CommandMessage<Type>, PetsReply>;
} & {
  readonly 'home:quote': HomeHandler<QuoteMessage, QuoteReply>;
  readonly 'home:sync': HomeHandler<SyncMessage, SyncReply>;
  readonly 'home:time': HomeHandler<{ readonly commandId?: string } | undefined, TimeReply>;
};

/** Handlers of the commands of a module. */
export type ModuleHandlers<M> = M extends Pets
  ? unknown
  : {
      readonly [Type in KeyOfEach<MessagesOfEach<M>>]: HomeHandler<
        ValueOfEach<MessagesOfEach<M>, Type> & { readonly commandId: string },
        Reply
      >;
    };

/** The handlers of all modules of a game; of modules without known types, those of the pets. */
export type HandlersOf<Modules extends AnyModules> = string extends Modules[number]['name']
  ? HomeHandlers
  : HomeHandlers & Together<{ [At in keyof Modules]: ModuleHandlers<Modules[At]> }>;

/** Joins all types of a list. */
export type Together<List extends readonly unknown[]> = List extends readonly [infer First, ...infer Others]
  ? First & Together<Others>
  : unknown;

/**
 * The messages that clients may send, by name. Payloads are parsed here, not by Colyseus' validators, which disconnect
 * a client for an invalid plain message. No handler ever throws, since that could end the process.
 */
export const homeMessages = (options: MessagesOptions): HomeHandlers => ({
  ...commandHandlers(options),
  'home:quote': (client: Client, message: QuoteMessage, context: MessageContext): Answered<QuoteReply> =>
    answered({ ...options, client, message, context }, async (session, answer: ClientReply<QuoteReply>) => {
      const asked = readQuoted(options.modules, message);
      if (asked.fault) options.onFault('a command could not be read', asked.fault);
      if (!asked.ok) return answer.refuse(asked.error);
      await session.questions.ask(answer, async () => {
        const quote = await options.homes.quote(session.playerId, asked.value);
        if (quote.ok) answer.accept(quote.value as QuoteReply);
        else answer.refuse(quote.error);
      });
    }),
  'home:sync': (client: Client, message: SyncMessage, context: MessageContext): Answered<SyncReply> =>
    answered({ ...options, client, message, context }, async (session, answer: ClientReply<SyncReply>) => {
      const asked = syncMessage.safeParse(message);
      if (!asked.success) return answer.refuse(invalid(asked.error));
      const { afterSeq, epoch, limit, snapshot } = asked.data;
      const maxBytes = limits.events.pageBytes;
      await session.questions.ask(answer, async () => {
        if (snapshot) await session.sendThings();
        await session.sync({ afterSeq, epoch, limit, maxBytes }, answer as ClientReply<object>, client);
      });
    }),
  'home:time': (
    client: Client,
    message: { readonly commandId?: string } | undefined,
    context: MessageContext,
  ): Answered<TimeReply> =>
    answered({ ...options, client, message, context }, async (_session, answer: ClientReply<TimeReply>) => {
      const asked = timeMessage.safeParse(message);
      if (!asked.success) return answer.refuse(invalid(asked.error));
      answer.accept({ nowMs: await options.homes.now() });
    }),
});

const commandHandlers = (options: MessagesOptions) =>
  Object.fromEntries(options.modules.playerCommands.map((type) => [type, command(options, type)])) as unknown as {
    readonly [Type in PlayerCommandType]: HomeHandler<CommandMessage<Type>, PetsReply>;
  };

const command =
  (options: MessagesOptions, type: string) =>
  (client: Client, message: unknown, context: MessageContext): Answered<Reply> =>
    answered({ ...options, client, message, context }, async (session, answer: ClientReply<Reply>) => {
      const read = readCommand(options.modules, type, message);
      if (read.fault) options.onFault('a command could not be read', read.fault);
      if (!read.ok) return answer.refuse(read.error);
      await session.command({ playerId: session.playerId, ...read.value }, answer, client);
    });

interface Asked extends MessagesOptions {
  readonly client: Client;
  readonly message: unknown;
  readonly context: MessageContext;
}

const answered = <Value extends object>(
  { client, message, context, sessionOf, rate, onFault }: Asked,
  act: (session: Session, answer: ClientReply<Value>) => Promise<void>,
): Answered<Value> => {
  const answer = new ClientAnswer<Value>({ client, context, commandId: commandIdIn(message) });
  const session = sessionOf(client);
  if (!session) {
    answer.refuse(reject('command/invalid', { faults: [{ path: '', message: 'this client has no home here' }] }));
    return answer;
  }
  withinRate(rate, session.playerId, answer, () => act(session, answer)).catch((error) => {
    onFault('a message could not be answered', error);
    // Only questions fail here, not commands. A fault of the game's own part would repeat.
    const rejection = rejectionOf(error);
    if (rejection.retryable) answer.fail();
    else answer.refuse(rejection);
  });
  return answer;
};

const withinRate = async (
  rate: RateLimit | undefined,
  playerId: string,
  answer: Pick<ClientReply<never>, 'refuse'>,
  act: () => Promise<void>,
): Promise<void> => {
  const retryAfterMs = rate ? await rate.consume(playerId) : 0;
  if (retryAfterMs > 0) answer.refuse(reject('rate/limited', { retryAfterMs }));
  else await act();
};

/** Finds it even in an otherwise invalid message: the sender must learn which one was refused. */
export const commandIdIn = (message: unknown): string | undefined => {
  const hasOne = typeof message === 'object' && message !== null && 'commandId' in message;
  return hasOne ? commandId.safeParse(message.commandId).data : undefined;
};
