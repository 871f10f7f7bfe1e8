/** Line icons, 24 by 24, in the colour of the text around them. */
const paths = {
  bowl: 'M3 11h18l-2.2 7.500a2 2 0 0 1-1.9 1.500H7.100a2 2 0 0 1-1.9-1.500zM6 11c.5-4 3-6 6-6s5.5 2 6 6',
  stop: 'M7 7h10v10H7z',
  undo: 'M9 14 4 9l5-5M4 9h10a6 6 0 0 1 0 12h-3',
  clock: 'M12 7v5l3 2M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z',
  repeat: 'M17 2l4 4-4 4M3 11V9a3 3 0 0 1 3-3h15M7 22l-4-4 4-4M21 13v2a3 3 0 0 1-3 3H3',
  bolt: 'M13 2 4 14h7l-1 8 9-12h-7z',
  plus: 'M12 5v14M5 12h14',
  minus: 'M5 12h14',
  close: 'M6 6l12 12M18 6 6 18',
  check: 'M5 13l4 4L19 7',
  warning: 'M12 4 2.5 20h19zM12 10v5M12 17.800h.01',
  offline:
    'M3 3l18 18M8.5 16.500a5 5 0 0 1 7 0M5 12.500a10 10 0 0 1 5-2.700M14.5 9.900A10 10 0 0 1 19 12.500M12 20h.01',
  star: 'm12 3 2.7 5.7 6.3.8-4.6 4.3 1.2 6.200L12 17l-5.6 3 1.2-6.200L3 9.500l6.3-.8z',
  paw: 'M12 13c-3 0-5 2.5-5 4.700C7 19.5 8.5 20 12 20s5-.5 5-2.300C17 15.5 15 13 12 13zM5 11.500h.01M9 7h.01M15 7h.01M19 11.500h.01',
  dice: 'M5 4h14a1 1 0 0 1 1 1v14a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1zM8.5 8.500h.01M15.5 15.500h.01M12 12h.01',
  search: 'M10.500 4a6.500 6.500 0 1 0 0 13 6.500 6.500 0 0 0 0-13zM15.500 15.500 20.500 20.500',
  next: 'M9 5l7 7-7 7',
  up: 'M5 15l7-7 7 7',
  down: 'M5 9l7 7 7-7',
  leave: 'M14 4h5v16h-5M10 8l-4 4 4 4M6 12h9',
  hammer: 'M14 6l4-2 3 3-2 4-2-1-9 10-3-3 10-9z',
  basket: 'M4 10h16l-2 9a1 1 0 0 1-1 1H7a1 1 0 0 1-1-1zM8 10l3-6M16 10l-3-6',
  globe: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM3.5 9h17M3.5 15h17M12 3c-5 6-5 12 0 18 5-6 5-12 0-18z',
} as const;

export type IconName = keyof typeof paths;

export const Icon = ({ name, size = 20 }: { readonly name: IconName; readonly size?: number }) => (
  <svg
    width={size}
    height={size}
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    stroke-width={name === 'dice' || name === 'paw' ? 2.6 : 2}
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    <path d={paths[name]} />
  </svg>
);
