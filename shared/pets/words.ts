import type { WordsByLanguage } from '../module/module.ts';
import type { PetEventType } from './events.ts';

/** Words about pets, for operators. */
export const petWords: WordsByLanguage<PetEventType> = {
  en: {
    thing:
      '{species} · {xp} xp[feeding? · eats {feeding.food}][feeding.by=card?, by an auto-feed card][blockedAtMs? · its chain waits for {lastFeeding.food}][armed? · auto-feeds armed: {armed.left}]',
    events: {
      'pet-adopted': 'adopted {name} ({species})',
      'feeding-started': 'began to eat {food}[by=card?, by an auto-feed card]: {workMs} of work, due {dueAt}',
      'card-used':
        'used {count} × {card}[effect=rate?: {boostRate}× until {boostEndsAt}][effect=repeat?: fed {autoFeeds} × more afterwards][wastedMs?, {wastedMs} wasted], due {dueAt}',
      'feeding-completed': 'finished eating: +{xp} xp ({totalXp})',
      'feeding-stopped': 'stopped eating[items?, back: {items}][by?, by {by}][reason?: “{reason}”]',
      'auto-feed-blocked': 'chain waits for {food}',
      'auto-feed-disarmed': 'auto-feed disarmed[items?, back: {items}]',
      'pet-released': 'released',
      'feeding-shifted': '{by} shifted it by {byMs}, due {dueAt}: “{reason}”',
      'pet-arrived': '{name} arrived (was {from})[feeding?: {feeding.leftMs} of work left]',
    },
    refusals: {
      'pet/not-eating': 'The pet is not eating any more. Look again.',
      'feeding/already-done': 'This feeding has ended already. Look again.',
      'feeding/too-long': 'It would be due after the year 2109, when the clock ends.',
    },
  },
  zh: {
    thing:
      '{species} · 经验 {xp}[feeding? · 正在吃 {feeding.food}][feeding.by=card?（续餐卡）][blockedAtMs? · 续餐在等 {lastFeeding.food}][armed? · 已备好 {armed.left} 次续餐]',
    events: {
      'pet-adopted': '领养了 {name}（{species}）',
      'feeding-started': '开始吃 {food}[by=card?（续餐卡）]：需要 {workMs}，{dueAt} 到期',
      'card-used':
        '使用 {count} × {card}[effect=rate?：{boostRate} 倍速，至 {boostEndsAt}][effect=repeat?：之后再吃 {autoFeeds} 餐][wastedMs?，浪费 {wastedMs}]，{dueAt} 到期',
      'feeding-completed': '吃完：+{xp} 经验（共 {totalXp}）',
      'feeding-stopped': '停止进食[items?，退回：{items}][by?，由 {by}][reason?：“{reason}”]',
      'auto-feed-blocked': '续餐在等 {food}',
      'auto-feed-disarmed': '收回续餐[items?，退回：{items}]',
      'pet-released': '离开了',
      'feeding-shifted': '{by} 调整 {byMs}，{dueAt} 到期：“{reason}”',
      'pet-arrived': '{name} 搬入（原 {from}）[feeding?：还需 {feeding.leftMs}]',
    },
    refusals: {
      'pet/not-eating': '宠物已经不在吃了。请关闭后再看一次。',
      'feeding/already-done': '这次喂食已经结束。请关闭后再看一次。',
      'feeding/too-long': '到期时间会晚于 2109 年，超出时钟的范围。',
    },
  },
};
