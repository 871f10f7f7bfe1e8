export * from '@colyseus/core';
