/* The file of texts, with a NUL after it. */
	.data
	.globl	message_file
message_file:
	.incbin	MESSAGE_FILE
	.byte	0
	.section	.note.GNU-stack, "", %progbits
