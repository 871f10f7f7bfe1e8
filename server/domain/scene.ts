import type { Catalogue } from '../../shared/catalogue.ts';
import type { HomeEvent } from '../../shared/event.ts';
import type { Home } from '../../shared/home.ts';
import type { Command, Rejection } from '../../shared/protocol.ts';
import type { Result } from '../../shared/result.ts';
import type { OperatorCommand } from './operator-command.ts';

export type Decision = Result<readonly HomeEvent[], Rejection>;

/** What a rule needs to know. */
export interface Scene<Asked extends Command | OperatorCommand = Command> {
  readonly catalogue: Catalogue;
  readonly home: Home;
  readonly command: Asked;
  readonly commandId: string;
  readonly nowMs: number;
}
