import { text } from '../words/text.ts';
import { type LanguageName, language } from '../words/words.ts';

const en = {
  hint: 'What designers may change while the game runs. A change is in force at once, on every server; what is under way ends as it was ordered.',
  empty: 'No module has rules that can be changed.',
  all: 'All rules',
  module: 'Module',
  version: 'Version',
  at: 'Since',
  by: 'By',
  reason: 'Reason',
  file: 'file',
  sourceHint: { file: 'given at a start', operator: 'changed by an operator' },
  inForce: 'in force',
  typed: 'my text',
  isUnreadable: text<{ version: number }>(
    ({ version }) =>
      `This server cannot read version ${version}, which a newer server wrote: it refuses commands of the module until it is updated.`,
  ),
  isFileWaiting:
    "This server was started with other rules than those in force: an operator’s change is. Apply the file’s rules here, or start with rulesFrom: 'file'.",
  newer: text<{ version: number; by: string }>(
    ({ version, by }) => `${by} has put version ${version} in force by now.`,
  ),
  load: 'Load it, and drop my text',
  text: 'Rules as JSON',
  older: text<{ version: number }>(({ version }) => `This is an older version. In force is version ${version}.`),
  toNewest: 'Look at that',
  check: 'Check',
  checking: 'Checking …',
  checkHint:
    'A check changes nothing: it lists all faults at once, or where the text differs from the rules in force. Then it can be applied.',
  undo: 'Undo my changes',
  malformed: 'This is no JSON',
  goTo: 'Show it in the text',
  faults: text<{ count: number }>(({ count }) => (count === 1 ? '1 fault' : `${count} faults`)),
  same: 'No difference to the version in force.',
  differences: text<{ count: number }>(({ count }) => (count === 1 ? '1 difference' : `${count} differences`)),
  path: 'Where',
  before: 'In force',
  after: 'New',
  whole: 'the whole',
  more: text<{ count: number }>(({ count }) => `and ${count} more`),
  becomes: text<{ path: string; before: string; after: string }>(
    ({ path, before, after }) => `${path}: ${before} → ${after}`,
  ),
  history: 'History',
  newest: 'Newest',
  earlier: 'Earlier ones',
  show: text<{ version: number }>(({ version }) => `Version ${version}`),
};

export type RulesWords = typeof en;

const zh: RulesWords = {
  hint: '游戏运行中策划可以修改的内容。修改立即在所有服务器上生效；进行中的按下单时的规则结束。',
  empty: '没有可以修改规则的模块。',
  all: '全部规则',
  module: '模块',
  version: '版本',
  at: '生效时间',
  by: '修改人',
  reason: '原因',
  file: '文件',
  sourceHint: { file: '启动时给出', operator: '由运维修改' },
  inForce: '生效中',
  typed: '我的修改',
  isUnreadable: ({ version }) =>
    `这台服务器读不懂版本 ${version}（由更新的服务器写入）：升级之前，它拒绝这个模块的命令。`,
  isFileWaiting:
    "这台服务器启动时给出的规则没有生效：生效的是运维的修改。可以在这里应用文件里的规则，或以 rulesFrom: 'file' 启动。",
  newer: ({ version, by }) => `${by} 已经让版本 ${version} 生效。`,
  load: '载入它，放弃我的修改',
  text: 'JSON 格式的规则',
  older: ({ version }) => `这是较早的版本。生效的是版本 ${version}。`,
  toNewest: '看生效的版本',
  check: '检查',
  checking: '检查中……',
  checkHint: '检查不做任何改动：它一次列出所有错误，或者与生效规则的差别。之后才能应用。',
  undo: '撤销我的修改',
  malformed: '这不是 JSON',
  goTo: '在文本中显示',
  faults: ({ count }) => `${count} 处错误`,
  same: '和生效的版本没有差别。',
  differences: ({ count }) => `${count} 处差别`,
  path: '位置',
  before: '生效中',
  after: '新的',
  whole: '整体',
  more: ({ count }) => `另有 ${count} 处`,
  becomes: ({ path, before, after }) => `${path}：${before} → ${after}`,
  history: '历史',
  newest: '最新',
  earlier: '更早的',
  show: ({ version }) => `版本 ${version}`,
};

/** This page's script has both languages, since few operators load it. */
const tables: Readonly<Record<LanguageName, RulesWords>> = { en, zh };

export const texts = (): RulesWords => tables[language.value];
