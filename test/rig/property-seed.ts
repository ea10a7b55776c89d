// Property tests take a new seed every run and print it when they fail. LAMELLA_PROPERTY_SEED fixes it: to run a failure again, and in CI, where one commit
// must always give one answer.
import fc from "fast-check";

const seed = process.env.LAMELLA_PROPERTY_SEED;
if (seed !== undefined) fc.configureGlobal({ seed: Number(seed) });
