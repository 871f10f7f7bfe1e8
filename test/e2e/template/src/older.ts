import { listen } from '@colyseus/tools';
import app from './older.config.js';

listen(app);
