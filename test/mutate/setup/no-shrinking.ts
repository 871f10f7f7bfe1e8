// Before each test file: a mutant is caught by the first counterexample, and nobody reads a smaller one.
import fc from 'fast-check';

fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true });
