export const overview = `turnout: one runtime for every coding-agent CLI

Usage: turnout <command> [options]

  run [prompt]   one turn with an agent: the answer on stdout
  chain          agents that work one after the other, each until it is done
  agent          agents as files and as programs: list, run, install
  chat --native  an agent CLI's own terminal UI
  doctor         which agent CLIs are here, their versions, what each can do; whether Discord works
  capabilities   what each backend can do, and which options it takes
  demo           the gateway and its page with the bundled demo agent: no account needed
  gateway        messages in over HTTP, its page or Discord, agent turns, answers out, losing nothing
  history        what was said in the gateway's channels
  pair           who may write to the bot in Discord: list, approve, remove
  usage          what the gateway's turns have used
  why <event>    how a message was answered: attempts, prompt files, tools
  service        a systemd unit for the gateway
  help <command> the options of a command

  --version, --help
`;
