import type { WordsByLanguage } from '../module/module.ts';
import type { WorksEvents } from './contract.ts';

/** Words about works, for operators. Things, activities and cards have the names of the rules at their order. */
export const worksWords: WordsByLanguage<Extract<keyof WorksEvents, string>> = {
  en: {
    thing:
      'level {level}[task.state=waits? · {task.order.activity} waits since {task.sinceMs}][task.state=runs? · {task.order.activity} under way][task.state=holds? · {task.order.activity} done, to be collected][held? · holds {held.items}, {held.ends} times][boost? · {boost.rate}× until {boost.endsAtMs}][task.armed? · repeats left: {task.armed.left}]',
    events: {
      placed: 'placed {name}[items?: {items}]',
      ordered:
        'ordered {order.activity}[order.slot? (needs one of {order.slot.name})]: {order.workMs} of work[items?, {items}]',
      started: 'began {activity}[card?, by the card {card}][items?: {items}], due {dueAt}',
      'card-used':
        'used {count} × {card}[effect=finish?: done at once][effect=rate?: {boost.rate}× until {boost.endsAtMs}][effect=repeat?: again {times} × each][wastedMs?, {wastedMs} wasted], due {dueAt}',
      finished:
        'finished {activity}[items?: {items}][drawn?, drawn: {drawn.items}][level?, now level {level}][waitsSinceMs?, and waits to begin again]',
      done: 'did {activity}[items?: {items}][level?, now level {level}][isConsumed?, and is gone]',
      collected:
        'collected[activity? what {activity} made][items?: {items}][level?, now level {level}][waitsSinceMs?, and waits to begin again]',
      cancelled: 'cancelled {activity}[items?, back: {items}][by?, by {by}][reason?: “{reason}”]',
      renewed:
        'goes on by new rules: {order.activity}, {order.workMs} of work[order.wasAuto?; its last run, unless the rules repeat it again]',
      reordered: 'moved in the queue',
      removed: 'removed',
      shifted: '{by} shifted it by {byMs}, due {dueAt}: “{reason}”',
    },
    refusals: {
      'works/idle': 'The thing does nothing any more. Look again.',
      'works/not-running': 'The thing is not at this any more. Look again.',
      'works/already-done': 'What was meant has ended already. Look again.',
      'works/uncollected': 'It is done, and waits to be collected. Look again.',
      'thing/too-long': 'It would be due after the year 2109, when the clock ends.',
    },
  },
  zh: {
    thing:
      '{level} 级[task.state=waits? · {task.order.activity} 排队中，自 {task.sinceMs}][task.state=runs? · 正在 {task.order.activity}][task.state=holds? · {task.order.activity} 已完成，待收取][held? · 存有 {held.items}，共 {held.ends} 次][boost? · {boost.rate} 倍速，至 {boost.endsAtMs}][task.armed? · 还会重复 {task.armed.left} 次]',
    events: {
      placed: '放置了 {name}[items?：{items}]',
      ordered: '安排 {order.activity}[order.slot?（占用一个 {order.slot.name}）]：需要 {order.workMs}[items?，{items}]',
      started: '开始 {activity}[card?（{card} 卡）][items?：{items}]，{dueAt} 到期',
      'card-used':
        '使用 {count} × {card}[effect=finish?：立即完成][effect=rate?：{boost.rate} 倍速，至 {boost.endsAtMs}][effect=repeat?：每张再做 {times} 次][wastedMs?，浪费 {wastedMs}]，{dueAt} 到期',
      finished:
        '完成 {activity}[items?：{items}][drawn?，抽到：{drawn.items}][level?，升到 {level} 级][waitsSinceMs?，等待再次开始]',
      done: '做了 {activity}[items?：{items}][level?，升到 {level} 级][isConsumed?，然后消失]',
      collected:
        '收取[activity? {activity} 的]产出[items?：{items}][level?，升到 {level} 级][waitsSinceMs?，等待再次开始]',
      cancelled: '取消 {activity}[items?，退回：{items}][by?，由 {by}][reason?：“{reason}”]',
      renewed:
        '之后按新规则进行：{order.activity}，需要 {order.workMs}[order.wasAuto?；除非规则再次重复，这是最后一次]',
      reordered: '调整了排队顺序',
      removed: '移除了',
      shifted: '{by} 调整 {byMs}，{dueAt} 到期：“{reason}”',
    },
    refusals: {
      'works/idle': '它已经没有在做的事。请关闭后再看一次。',
      'works/not-running': '它已经不在做这件事。请关闭后再看一次。',
      'works/already-done': '这件事已经结束。请关闭后再看一次。',
      'works/uncollected': '已经完成，待收取。请关闭后再看一次。',
      'thing/too-long': '到期时间会晚于 2109 年，超出时钟的范围。',
    },
  },
};
