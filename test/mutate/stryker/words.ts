// A plugin of Stryker's: what a log line or a failed assertion says is for people, and no test holds its wording.

interface Node {
  readonly type: string;
  readonly callee?: Node;
  readonly property?: { readonly name?: string };
  readonly name?: string;
}
interface Place {
  readonly node: Node;
  readonly parentPath: Place | null;
}

const WORDS = ['StringLiteral', 'TemplateLiteral'];
const LEVELS = ['debug', 'info', 'warn', 'error'];

const isForPeople = ({ type, callee }: Node): boolean => {
  if (type === 'NewExpression') return callee?.name?.endsWith('Error') === true;
  if (type !== 'CallExpression') return false;
  return callee?.name === 'assert' || LEVELS.includes(callee?.property?.name ?? '');
};

const shouldIgnore = ({ node, parentPath }: Place): string | undefined =>
  WORDS.includes(node.type) && parentPath !== null && isForPeople(parentPath.node) ? 'words for people' : undefined;

export const strykerPlugins = [{ kind: 'Ignore', name: 'words', value: { shouldIgnore } }];
