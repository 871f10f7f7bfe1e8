// The reference server of a release to come, which has a migration more.
import { becomeNextRelease } from './releases.ts';

becomeNextRelease();
await import('../../../server/reference/main.ts');
