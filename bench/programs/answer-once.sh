#!/bin/sh
# A CLI that answers at once and takes a millisecond to start: what is left is the cost of the program around it.
echo '{"type":"result","subtype":"success","is_error":false,"result":"hello","session_id":"00000000-0000-4000-8000-000000000000"}'
