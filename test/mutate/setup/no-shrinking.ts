// Before each test file: the first counterexample kills a mutant, so a smaller one is of no use.
import fc from 'fast-check';

fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true });
