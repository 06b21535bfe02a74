# What a log of the trainer says of its phases, network and times reaches the
# result.
# shellcheck disable=SC2154 # bindir and tmp are from lib.sh
. "$top_srcdir/tests/lib.sh"

extract=$bindir/extract_logs
mkdir -p "$tmp/logs/1n2g"
{
	echo "=> creating model 'resnet18'"
	echo 'dlscale: config version=0.1.0 model=resnet18 parameters=11689512 image=224 classes=1000 device=cpu precision=fp32 batch_per_device=4 devices=2 nodes=1 images=dummy train_images=1281167'
	awk 'BEGIN { for (i = 1; i <= 130; i++)
	    printf "Epoch: [0][%d/130]\tTime 0.200 (0.200)\tData 0.001 (0.001)\tLoss 6.9 (6.9)\tAcc@1 0.00 (0.00)\tAcc@5 0.00 (0.00)\n", i }'
	echo 'dlscale: phases epoch=0 steps=130 mode=sync step_ms=200.000 data_ms=1.500 to_device_ms=0.250 forward_ms=60.000 loss_ms=1.000 backward_ms=100.000 update_ms=37.000 other_ms=0.250 update_allreduce_ms=30.000 update_step_ms=7.000'
	echo 'dlscale: device epoch=0 steps=130 mode=sync copy_ms=0.100 to_device_ms=0.125 forward_ms=59.000 loss_ms=0.500 backward_ms=99.000 allreduce_ms=20.000 update_ms=6.000'
	echo 'dlscale: reductions epoch=0 per_step=3 bytes_per_step=46758048 busy_ms=40.000 exposed_ms=10.000 overlap=0.7500'
	echo 'dlscale: run_network receive_mbit_per_s=2610.000 send_mbit_per_s=2500.000 loopback_mbit_per_s=0.000 interfaces=eth0'
	echo 'dlscale: run_times real_s=21.38 user_s=33.63 sys_s=4.14 processes=2'
	echo 'real 23.00'
	echo 'user 34.00'
	echo 'sys 5.00'
} >"$tmp/logs/1n2g/r18_b4_fp32_1.log"
"$extract" -q -o "$tmp/r.json" "$tmp/logs" >"$tmp/out" 2>&1
for line in '"step_s": 0.2,' '"data_s": 0.0015,' '"allreduces": 3,' \
    '"to_device_s": 0.000125,' '"forward_s": 0.059,' '"loss_s": 0.0005,' \
    '"backward_s": 0.099,' '"update_s": 0.006' '"busy_s": 0.04,' \
    '"real_s": 21.38,' '"user_s": 33.63,' '"sys_s": 4.14' \
    '"received_gb_per_s": 0.32625,' '"sent_gb_per_s": 0.3125'; do
	verdict "the result has $line" grep -qF -- "$line" "$tmp/r.json"
done

# Without the device's own clock and the trainer's own times.
sed -i '/^dlscale: device/d; /^dlscale: run_times/d; s/^real 23.00/real\t1m53.525s/' \
    "$tmp/logs/1n2g/r18_b4_fp32_1.log"
"$extract" -q -o "$tmp/r.json" "$tmp/logs" >"$tmp/out" 2>&1
for line in '"forward_s": 0.06,' '"update_s": 0.037' '"real_s": 113.525,' \
    '"user_s": 34,'; do
	verdict "from the host and the shell: $line" \
	    grep -qF -- "$line" "$tmp/r.json"
done
finish
