import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesOfHouse } from './support/source/house.ts';

const root = path.dirname(import.meta.dirname);

/** Files that may speak of pets, and why. A path that ends in a slash is a folder. */
const petsOwn: Readonly<Record<string, string>> = {
  'shared/pets/': 'the module',
  'shared/home-state.ts': 'the state of the room `home`, by contract',
  'client/': 'the playable page, and what followers of a home were promised',
  'server/room/': 'the messages and the state of the room `home`, by contract',
  'server/settings/rules.ts': 'RULES_FILE',
  'server/reference/': 'the reference game has pets',
  'server/cli/open-database.ts': '`kibble seed` makes pets',
  'server/kibble.ts': 'the default where a game names no modules',
  'server/public-types.ts': 'exports their types',
};

const WORDS =
  /(?<![A-Za-z])(?:pets?|feedings?|meals?|species|dogs?)(?![a-z])|(?:Pets?|Feedings?|Meals?|Species)(?![a-z])|宠物|喂食/;

const isGeneric = (file: string): boolean =>
  /^(server|shared|ops)\//.test(file) &&
  !Object.keys(petsOwn).some((own) => (own.endsWith('/') ? file.startsWith(own) : file === own));

/** Lines of the text that speak of pets. */
const spoken = (text: string): readonly string[] => text.split('\n').filter((line) => WORDS.test(line));

describe('what every module gets', () => {
  const files = filesOfHouse(root).filter(isGeneric);

  it('has no word of pets', () => {
    expect(files.length).toBeGreaterThan(300);
    const found = files.flatMap((file) =>
      spoken(readFileSync(path.join(root, file), 'utf8')).map((line) => `${file}: ${line.trim()}`),
    );
    expect(found).toEqual([]);
  });

  it('is everything but what has a reason here, each of which is there and speaks of them', () => {
    const all = filesOfHouse(root);
    const silent = Object.keys(petsOwn).filter(
      (own) =>
        !all.some((file) => file.startsWith(own) && spoken(readFileSync(path.join(root, file), 'utf8')).length > 0),
    );
    expect(silent).toEqual([]);
  });

  it.each(['the pet eats', 'const petId = 1', 'hasPet: true', 'kind: "feeding"', 'feedingId', 'a dog', '宠物'])(
    'would be found out by: %s',
    (text) => expect(spoken(text)).toHaveLength(1),
  );

  it.each(['a competition', 'repeat', 'this.#feed.publish()', 'HomeFeed', 'dogma', 'petition'])('may say: %s', (text) =>
    expect(spoken(text)).toEqual([]),
  );
});
