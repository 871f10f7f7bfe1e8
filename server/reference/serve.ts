import type { AnyModule } from '../../shared/module/module.ts';
import { systemClock } from '../adapter/machine/system-clock.ts';
import { readConfig } from '../settings/config.ts';
import { createLog, surviveLostOutput } from '../telemetry/log.ts';
import { explainStart } from '../wiring/explain-start.ts';
import { openServer } from './open-server.ts';

/** Reads the settings, opens all parts, and serves homes until stopped. `modules`: modules besides those of the rules. */
export const serve = async (modules: readonly AnyModule[] = []): Promise<void> => {
  surviveLostOutput();
  try {
    await open(modules);
  } catch (error) {
    process.stderr.write(`${explainStart(error)}\n`);
    process.exit(1);
  }
};

const open = async (modules: readonly AnyModule[]): Promise<void> => {
  const config = readConfig();
  const log = createLog({ level: config.logLevel });
  const server = await openServer(config, log, modules);
  server.lost.then((error) => {
    process.stderr.write(`${explainStart(error)}\n`);
    process.exit(1);
  });
  let isStopping = false;
  // A supervisor that signals the whole group reaches this process twice: directly, and through its parent.
  const stop = (signal: string): void => {
    if (isStopping) return;
    isStopping = true;
    log.info({ signal }, 'stopping; what was accepted is finished first');
    systemClock.after(config.drainMs, () => {
      log.error({ drainMs: config.drainMs }, 'not finished within DRAIN_MS; what is left is done at the next start');
      process.exit(1);
    });
    server.close().then(
      () => {
        log.info({ signal }, 'stopped');
        process.exit(0);
      },
      (error: unknown) => {
        log.error({ err: error }, 'could not stop in good order');
        process.exit(1);
      },
    );
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => stop(signal));
  // Logged last: a supervisor that reads this line may stop the process at once.
  log.info(`Kibble is ready at ${server.address}`);
  if (server.opsTokenFile) log.info(`The operator's token lies in ${server.opsTokenFile}`);
};
