// A game whose own modules are CommonJS.
import kibble = require('colyseus-kibble');
import timers = require('colyseus-kibble/timers');

export const faces: readonly unknown[] = [kibble.createKibble, timers.createTimers];
