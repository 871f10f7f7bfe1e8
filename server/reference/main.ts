// The reference server.
import { serve } from './serve.ts';

await serve();
