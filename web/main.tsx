import { render } from 'preact';
import { App } from './app.js';
import { sendKeptMessages } from './conversation/outgoing.js';
import { watchSight } from './in-sight.js';
import {
  findSession,
  signIn,
  takeTokenFromAddress,
  watchAddress,
  watchOtherTabs,
  wrongInAddress,
} from './session.js';
import './theme.css';

const token = takeTokenFromAddress();
void (token === undefined ? findSession() : signIn(token, wrongInAddress));

watchOtherTabs();
watchAddress();
watchSight();
sendKeptMessages();

const root = document.getElementById('app');
if (root !== null) render(<App />, root);
